package resolve

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Decide says what evidence means, by the table of the package's comment. known is the
// answer to a question: nil where nobody can answer it, and false where it must be
// asked first. With open questions nothing else is decided.
func Decide(e Evidence, known func(Question) (*Answer, bool)) Decision {
	j := &judge{e: e, known: known}
	var d Decision
	switch e.Type {
	case viewing.Movie, viewing.TV:
		var w *Work
		if w, d = j.work(ClueOf(e.Media)); w != nil {
			d = j.certain(w.Candidate, Episode{}, d.Why)
		}
	case viewing.Episode:
		d = j.episode()
	default: // a number alone names two works: films and series are counted apart
		d = held("kind")
	}
	if len(j.open) > 0 {
		return Decision{Open: j.open}
	}
	if e.Unsure { // a person may find it among what it would be else
		if d.Is != nil {
			d.Candidates = []Candidate{d.Named}
		}
		d = Decision{Candidates: d.Candidates, Why: why("unsure")}
	}
	d.By, d.Kept = cmp.Or(j.by, j.asked), j.by+j.asked != "" && !j.fresh
	return d
}

// Asks reports whether anything must be asked before something can be decided.
func Asks(e Evidence) bool {
	return len(Decide(e, func(Question) (*Answer, bool) { return nil, false }).Open) > 0
}

// judge decides about one piece of evidence, and collects what must be asked.
type judge struct {
	e         Evidence
	known     func(Question) (*Answer, bool)
	open      []Question
	by, asked string // whose answers said something, and who answered at all
	fresh     bool   // an answer was asked for now
	yearless  bool   // the series was found by its title alone
}

// ask is nil where nobody can answer, and where it must be asked first.
func (j *judge) ask(q Question) *Answer {
	a, known := j.known(q)
	switch {
	case !known && !slices.Contains(j.open, q):
		j.open = append(j.open, q)
	case a == nil:
	case a.empty():
		j.asked, j.fresh = a.By, j.fresh || !a.Kept
	default:
		j.by, j.fresh = a.By, j.fresh || !a.Kept
	}
	return a
}

// why is the reason of a decision.
func why(code string, pairs ...string) viewing.Message { return viewing.Say("why."+code, pairs...) }

// held leaves it to a person for want of a witness.
func held(code string, works ...Work) Decision {
	d := Decision{Why: why(code)}
	for _, w := range works {
		d.Candidates = append(d.Candidates, w.Candidate)
	}
	return d
}

// against leaves it to a person because something contradicts.
func against(code string, works ...Work) Decision {
	d := held(code, works...)
	d.Against = true
	return d
}

// certain is a work, or an episode of it. Of an episode with an own number alone, the
// work is not known.
func (j *judge) certain(w Candidate, p Episode, why viewing.Message) Decision {
	is := w.Apply(j.e.Media)
	if is.Type == viewing.Episode {
		is.IDs.TMDB = cmp.Or(p.TMDB, j.e.IDs.TMDB)
		if is.Season, is.Episode = &p.Season, &p.Number; w.TMDB == 0 {
			is = j.e.Media
			is.IDs.TMDB = p.TMDB
		}
	}
	return Decision{Is: &is, Named: w, Why: why}
}

// work is the film or series of a clue; nil where it is not certain, and why.
func (j *judge) work(c Clue) (*Work, Decision) {
	w, d := j.found(c)
	switch {
	case w != nil && j.contradicted(*w, c):
		return nil, against("otherWork", *w)
	case w != nil && j.yearless && c.Kind == viewing.TV: // no runtime is that of a series
		return nil, held("noYear", *w)
	}
	return w, d
}

// found is the work that the numbers of a clue name, or else its title. Name and year
// may still speak against the numbers.
func (j *judge) found(c Clue) (*Work, Decision) {
	var all []Work
	var reason viewing.Message
	for _, q := range c.questions() {
		number := map[Ask]string{ByIMDB: "IMDb", ByTVDB: "TVDB"}[q.Ask]
		if q.Ask == BySite {
			number = c.Site.Name
		}
		a := j.ask(q)
		if a == nil && q.Ask == Details { // nobody tells
			all, reason = []Work{{Candidate: Candidate{Type: c.Kind, TMDB: c.IDs.TMDB}}}, why("told")
			continue
		}
		if a.empty() {
			continue // it says nothing, also where a number of TMDB is gone
		}
		of := a.of(c.Kind)
		hits := len(a.Works) + len(a.Episodes)
		if q.Ask == ByTVDB { // TVDB counts series and episodes apart
			hits = len(of)
		}
		d := Decision{}
		switch {
		case hits == 0:
			continue
		case a.Partial && hits == 1 && len(a.Works) == 1 && a.Works[0].By == ByService:
			d = against("serviceUnsure", a.Works...)
		case hits > 1 || a.Partial:
			d = against("several", a.Works...)
		case len(of) == 0:
			d = against("otherKind", a.Works...)
		case q.Ask == Details:
			reason = why("known")
		default:
			reason = why("number", "number", number)
		}
		if d.Against {
			d.Why.Args = map[string]string{"number": number}
			return nil, d
		}
		all = merge(all, of[0])
	}
	switch {
	case len(j.open) > 0: // a title is asked about once the numbers have failed
		return nil, Decision{}
	case len(all) > 1:
		return nil, against("differ", all...)
	case len(all) == 1:
		return &all[0], Decision{Why: reason}
	}
	w, d := j.byTitle(c)
	if w == nil && c.IDs.TMDB > 0 {
		d.Against, d.Why = true, why("gone").Because(d.Why)
	}
	return w, d
}

// questions are those about the numbers of a clue.
func (c Clue) questions() (all []Question) {
	if c.IDs.TMDB > 0 {
		all = append(all, Question{Ask: Details, Kind: c.Kind, Number: c.IDs.TMDB})
	}
	if isIMDB(c.IDs.IMDB) {
		all = append(all, Question{Ask: ByIMDB, Text: c.IDs.IMDB})
	}
	if c.IDs.TVDB > 0 && c.Kind == viewing.TV {
		all = append(all, Question{Ask: ByTVDB, Number: c.IDs.TVDB})
	}
	if c.Site != nil {
		all = append(all, Question{Ask: BySite, Kind: c.Kind, Text: c.Site.Name + " " + c.Site.Title + c.Site.Series})
	}
	return all
}

// isIMDB reports whether it is an IMDb number of a work: "tt" and seven to ten
// digits. Others are of people and companies.
func isIMDB(number string) bool {
	digits, ok := strings.CutPrefix(number, "tt")
	return ok && len(digits) >= 7 && len(digits) <= 10 && strings.Trim(digits, "0123456789") == ""
}

// merge adds a work that is not among them. What one answer tells of it fills what
// another left out.
func merge(all []Work, w Work) []Work {
	at := slices.IndexFunc(all, func(other Work) bool { return other.TMDB == w.TMDB && other.Type == w.Type })
	switch {
	case at < 0:
		return append(all, w)
	case all[at].Title == "":
		all[at] = w
	}
	return all
}

// contradicted reports whether name and year are those of another work, whatever
// language the name is in.
func (j *judge) contradicted(w Work, c Clue) bool {
	if !contradicts(w, c) {
		return false
	}
	whole, known := j.details(w)
	if !known {
		return len(j.open) == 0
	}
	return contradicts(whole, c)
}

// details is a work with its names in other languages; false where nobody tells.
func (j *judge) details(w Work) (Work, bool) {
	a := j.ask(Question{Ask: Details, Kind: w.Type, Number: w.TMDB})
	if a == nil {
		return w, false
	}
	for _, whole := range a.of(w.Type) {
		w.Names = append(append(w.Names[:len(w.Names):len(w.Names)], whole.Title), whole.Names...)
		w.Year, w.Minutes, w.Seasons = cmp.Or(w.Year, whole.Year), whole.Minutes, whole.Seasons
	}
	return w, true
}

// contradicts reports whether a number's work is another than the one reported: no
// name is equal, and the year is not equal either. A film of that name is another
// one, too, when it is more than a year away. The year of a series may be that of a
// season. The service tells one title in a language of its own: there the years decide.
func contradicts(w Work, c Clue) bool {
	switch {
	case c.Title == "" || w.Title == "":
		return false
	case w.called(c.Title):
		return w.Type == viewing.Movie && yearsApart(c.Year, w.Year)
	case w.By == ByService:
		return yearsApart(c.Year, w.Year)
	default:
		return c.Year == 0 || c.Year != w.Year
	}
}

// yearsApart reports whether both years are known and more than one apart.
func yearsApart(a, b int) bool { return a > 0 && b > 0 && max(a-b, b-a) > 1 }

// byTitle decides by title and year. Without a year, one work alone must have that
// title, and a film the runtime, too; of an episode that is compared with its place.
func (j *judge) byTitle(c Clue) (*Work, Decision) {
	if fold(c.Title) == "" {
		if len(c.questions()) > 0 {
			return nil, held("noNumber")
		}
		return nil, held("nothing")
	}
	a := j.ask(Question{Ask: ByTitle, Kind: c.Kind, Text: c.Title, Year: c.Year})
	if a == nil {
		return nil, held("nobody")
	}
	hits := a.of(c.Kind)
	own, near, all := j.called(hits, c)
	switch {
	case c.Year == 0 && (j.e.Runtime == 0 || a.By != TMDB):
		return nil, held("noYear", hits...)
	case a.Partial && len(hits) > 0 && hits[0].By == ByService:
		return nil, held("serviceUnsure", hits...)
	case a.Partial || !all:
		return nil, held("tooMany", hits...)
	case len(own) == 0:
		return nil, held("noTitle", hits...)
	case len(own) > 1 || len(near) > 0:
		return nil, held("namesake", append(own, near...)...)
	case c.Year > 0:
		return &own[0], Decision{Why: why("title")}
	case c.Kind == viewing.TV:
		j.yearless = true
		return &own[0], Decision{}
	}
	if w, _ := j.details(own[0]); !fits(w.Minutes, j.e.Runtime) {
		return nil, held("noYear", own...)
	}
	return &own[0], Decision{Why: why("runtime")}
}

// fits reports whether a runtime is known, and at most 3 % from what was played.
func fits(minutes int, played time.Duration) bool {
	whole := time.Duration(minutes) * time.Minute
	return whole > 0 && max(whole-played, played-whole) <= whole*3/100
}

// maxNames is how many hits of another name may be asked for their names in other
// languages.
const maxNames = 6

// called are the hits of that name: own those of that year, near those that may be
// meant as well. It is false where too many would have to be asked. Without a year all
// are own; then a hit whose shown name contains the words was found for these.
func (j *judge) called(hits []Work, c Clue) (own, near []Work, all bool) {
	asked := 0
	for _, w := range hits {
		if w.Type == viewing.Movie && yearsApart(w.Year, c.Year) {
			continue
		}
		if !w.called(c.Title) && (c.Year > 0 || !strings.Contains(fold(w.Title), fold(c.Title))) {
			if asked++; asked > maxNames {
				return own, near, false
			}
			w, _ = j.details(w)
		}
		switch {
		case !w.called(c.Title):
		case w.Year == c.Year || c.Year == 0:
			own = append(own, w)
		default:
			near = append(near, w)
		}
	}
	return own, near, true
}

// episode decides about an episode: by its own numbers, else by its series and its
// place there.
func (j *judge) episode() Decision {
	if d := j.byOwn(); d.Why.Code != "" || len(j.open) > 0 {
		return d
	}
	e, c := j.e, ClueOf(j.e.Media)
	show, d := j.found(c)
	switch {
	case show == nil:
		return d
	case e.Season == nil || e.Episode == nil:
		return j.byName(*show, c)
	case *e.Season < 0 || *e.Episode < 1:
		return against("badNumber", *show)
	case yearsApart(show.Year, c.Year) && j.contradicted(*show, c):
		return against("otherSeries", *show)
	}
	d = j.byPlace(*show, c, j.contradicted(*show, c))
	if gone := c.IDs.TMDB > 0 && c.IDs.TMDB != show.TMDB; gone && d.Is == nil {
		d.Against, d.Why = true, why("goneSeries").Because(d.Why)
	}
	return d
}

// byName decides about an episode that was reported without any number: of all seasons,
// one episode alone must have its name.
func (j *judge) byName(show Work, c Clue) Decision {
	whole, all := j.details(show)
	var found []Episode
	for _, season := range whole.Seasons {
		a := j.ask(Question{Ask: Season, Number: show.TMDB, Season: season})
		if all = all && a != nil; a == nil {
			continue
		}
		for _, p := range a.Episodes {
			if p.named(j.e.Title, c.Title) {
				found = append(found, p)
			}
		}
	}
	switch {
	case !all || len(found) != 1 || j.e.Episode != nil || j.yearless:
		return held("noPlace", show)
	case found[0].Season == 0 || j.e.Season != nil && *j.e.Season != found[0].Season:
		return held("noPlace", show)
	case j.contradicted(show, c):
		return against("otherSeries", show)
	}
	return j.certain(show.Candidate, found[0], why("nameAlone"))
}

// byOwn decides by an episode's own number. The decision says nothing where it has
// none that leads to an episode.
func (j *judge) byOwn() Decision {
	e := j.e
	var questions []Question
	if isIMDB(e.IDs.IMDB) {
		questions = append(questions, Question{Ask: ByIMDB, Kind: viewing.Episode, Text: e.IDs.IMDB})
	}
	if e.IDs.TVDB > 0 {
		questions = append(questions, Question{Ask: ByTVDB, Kind: viewing.Episode, Number: e.IDs.TVDB})
	}
	var found []Episode
	besides := false // TVDB's number is that of a series, too
	for _, q := range questions {
		a := j.ask(q)
		if a == nil {
			continue
		}
		if len(a.Episodes) > 1 || q.Ask == ByIMDB && len(a.Works) > 0 {
			return against("ownSeveral")
		}
		found, besides = append(found, a.Episodes...), besides || len(a.of(viewing.TV)) > 0
	}
	switch {
	case len(found) == 0 && e.IDs.TMDB > 0 && len(j.open) == 0:
		return j.byOwnTMDB()
	case len(found) == 0:
		return Decision{}
	}
	p := found[0]
	place := e.Season != nil && e.Episode != nil
	placed := place && *e.Season == p.Season && *e.Episode == p.Number
	// Another place and another name are another episode. Where the number is that of a
	// series, too, place or name must agree.
	if !placed && !p.named(e.Title, ClueOf(e.Media).Title) && (besides || place && fold(e.Title) != "") {
		return against("ownOther")
	}
	for _, other := range found[1:] {
		if other.Show != p.Show || other.Season != p.Season || other.Number != p.Number {
			return against("ownDiffer")
		}
	}
	if d := j.elsewhere(p, ClueOf(e.Media)); d.Why.Code != "" {
		return d
	}
	return j.certain(seriesOf(p), p, why("own"))
}

func seriesOf(p Episode) Candidate { return Candidate{Type: viewing.TV, TMDB: p.Show} }

// elsewhere holds an episode whose own number is of another series than the one that
// was reported.
func (j *judge) elsewhere(p Episode, c Clue) Decision {
	show, d := j.work(Clue{Kind: viewing.TV, IDs: c.IDs})
	switch {
	case show != nil && show.TMDB != p.Show:
		return against("ownSeries", *show)
	case show == nil && len(d.Candidates) > 0: // its series' numbers disagree
		return d
	case c.Title == "":
		return Decision{}
	}
	a := j.ask(Question{Ask: Details, Kind: viewing.TV, Number: p.Show})
	if a != nil && len(a.Works) == 1 && contradicts(a.Works[0], c) {
		return against("ownSeries", a.Works[0])
	}
	return Decision{}
}

// byOwnTMDB takes the number that TMDB gave to the episode. Nothing of TMDB leads
// from it to series and place, so the season's list is asked where those are known.
func (j *judge) byOwnTMDB() Decision {
	p := Episode{TMDB: j.e.IDs.TMDB}
	c := ClueOf(j.e.Media)
	show, d := j.work(c)
	if show == nil && c.IDs != (viewing.IDs{}) && len(d.Candidates) > 0 { // its series' numbers disagree
		return d
	}
	if show != nil && j.e.Season != nil {
		if a := j.ask(Question{Ask: Season, Number: show.TMDB, Season: *j.e.Season}); a != nil {
			at := slices.IndexFunc(a.Episodes, func(other Episode) bool { return other.TMDB == p.TMDB })
			if at >= 0 {
				return j.certain(show.Candidate, a.Episodes[at], why("listed"))
			}
			if !slices.ContainsFunc(a.Episodes, func(other Episode) bool { return other.TMDB == 0 }) {
				return against("ownElsewhere", *show)
			}
		}
	}
	return j.certain(Candidate{Type: viewing.TV}, p, why("ownTold"))
}

// byPlace decides by series, season and number. Where the series' name is that of
// another, the episode's own name alone can still show that it is right.
func (j *judge) byPlace(show Work, c Clue, contradicted bool) Decision {
	e, ownCount := j.e, j.e.Site.OwnCount()
	p := Episode{Show: show.TMDB, Season: *e.Season, Number: *e.Episode}
	if p.Season == 0 && c.IDs.TMDB != show.TMDB {
		return held("special", show)
	}
	a := j.ask(Question{Ask: Season, Number: show.TMDB, Season: p.Season})
	elsewhere := false // it is named like another one of that season
	if a != nil {
		at := slices.IndexFunc(a.Episodes, func(other Episode) bool { return other.Number == p.Number })
		if at < 0 {
			return against("noEpisode", show)
		}
		p = a.Episodes[at]
		elsewhere = slices.ContainsFunc(a.Episodes, func(other Episode) bool { return other.Number != p.Number && other.named(e.Title, c.Title) })
	}
	asTMDB := c.IDs.TMDB > 0 && c.IDs.TMDB == show.TMDB && c.IDs.IMDB == "" && c.IDs.TVDB == 0
	// A source that knows TVDB's number may count as TVDB does. Behind a name that says
	// nothing there may be two parts.
	asReported := !ownCount && c.IDs.TVDB == 0 && (fold(e.Title) == "" || !generic(e.Title, c.Title))
	switch named := p.named(e.Title, c.Title); {
	case p.Season == 0:
		return held("special", show)
	case j.yearless && (!fits(p.Minutes, e.Runtime) || !named && (ownCount || elsewhere)):
		return held("noYear", show)
	case j.yearless:
		return j.certain(show.Candidate, p, why("runtime"))
	case named:
		return j.certain(show.Candidate, p, why("name"))
	case contradicted:
		return against("otherSeries", show)
	case asTMDB && !ownCount:
		return j.certain(show.Candidate, p, why("counts"))
	case a == nil && show.By != "" && asReported:
		return j.certain(show.Candidate, p, why("place"))
	default:
		return held("noWitness", show)
	}
}
