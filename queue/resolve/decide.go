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
	r := &resolver{e: e, known: known}
	var d Decision
	switch e.Type {
	case viewing.Movie, viewing.TV:
		var w *Work
		if w, d = r.decideWork(ClueOf(e.Media)); w != nil {
			d = r.certain(w.Candidate, Episode{}, d.Why)
		}
	case viewing.Episode:
		d = r.decideEpisode()
	default: // a number alone names two works: films and series are counted apart
		d = uncertain("kind")
	}
	if len(r.open) > 0 {
		return Decision{Unanswered: r.open}
	}
	if e.Unsure { // a person may find it among what it would be else
		if d.Item != nil {
			d.Candidates = []Candidate{d.Work}
		}
		d = Decision{Candidates: d.Candidates, Why: why("unsure")}
	}
	d.By, d.FromCache = cmp.Or(r.answeredBy, r.lastAsked), r.answeredBy+r.lastAsked != "" && !r.fresh
	return d
}

// Asks reports whether anything must be asked before something can be decided.
func NeedsAnswers(e Evidence) bool {
	return len(Decide(e, func(Question) (*Answer, bool) { return nil, false }).Unanswered) > 0
}

// judge decides about one piece of evidence, and collects what must be asked.
type resolver struct {
	e                     Evidence
	known                 func(Question) (*Answer, bool)
	open                  []Question
	answeredBy, lastAsked string // whose answers said something, and who answered at all
	fresh                 bool   // an answer was asked for now
	titleOnly             bool   // the series was found by its title alone
}

// ask is nil where nobody can answer, and where it must be asked first.
func (r *resolver) ask(q Question) *Answer {
	a, known := r.known(q)
	switch {
	case !known && !slices.Contains(r.open, q):
		r.open = append(r.open, q)
	case a == nil:
	case a.isEmpty():
		r.lastAsked, r.fresh = a.By, r.fresh || !a.FromCache
	default:
		r.answeredBy, r.fresh = a.By, r.fresh || !a.FromCache
	}
	return a
}

// why is the reason of a decision.
func why(code string, pairs ...string) viewing.Message { return viewing.Say("why."+code, pairs...) }

// held leaves it to a person for want of a witness.
func uncertain(code string, works ...Work) Decision {
	d := Decision{Why: why(code)}
	for _, w := range works {
		d.Candidates = append(d.Candidates, w.Candidate)
	}
	return d
}

// against leaves it to a person because something contradicts.
func contradiction(code string, works ...Work) Decision {
	d := uncertain(code, works...)
	d.Contradicted = true
	return d
}

// certain is a work, or an episode of it. Of an episode with an own number alone, the
// work is not known.
func (r *resolver) certain(w Candidate, p Episode, why viewing.Message) Decision {
	is := w.Apply(r.e.Media)
	if is.Type == viewing.Episode {
		is.IDs.TMDB = cmp.Or(p.TMDB, r.e.IDs.TMDB)
		if is.Season, is.Episode = &p.Season, &p.Number; w.TMDB == 0 {
			is = r.e.Media
			is.IDs.TMDB = p.TMDB
		}
	}
	return Decision{Item: &is, Work: w, Why: why}
}

// work is the film or series of a clue; nil where it is not certain, and why.
func (r *resolver) decideWork(c Clue) (*Work, Decision) {
	w, d := r.findWork(c)
	switch {
	case w != nil && r.isOtherWork(*w, c):
		return nil, contradiction("otherWork", *w)
	case w != nil && r.titleOnly && c.Kind == viewing.TV: // no runtime is that of a series
		return nil, uncertain("noYear", *w)
	}
	return w, d
}

// found is the work that the numbers of a clue name, or else its title. Name and year
// may still speak against the numbers.
func (r *resolver) findWork(c Clue) (*Work, Decision) {
	var all []Work
	var reason viewing.Message
	for _, q := range c.numberQuestions() {
		number := map[Topic]string{ByIMDB: "IMDb", ByTVDB: "TVDB"}[q.Topic]
		if q.Topic == BySite {
			number = c.Site.Name
		}
		a := r.ask(q)
		if a == nil && q.Topic == Details { // nobody tells
			all, reason = []Work{{Candidate: Candidate{Type: c.Kind, TMDB: c.IDs.TMDB}}}, why("told")
			continue
		}
		if a.isEmpty() {
			continue // it says nothing, also where a number of TMDB is gone
		}
		of := a.worksOfKind(c.Kind)
		hits := len(a.Works) + len(a.Episodes)
		if q.Topic == ByTVDB { // TVDB counts series and episodes apart
			hits = len(of)
		}
		d := Decision{}
		switch {
		case hits == 0:
			continue
		case a.Partial && hits == 1 && len(a.Works) == 1 && a.Works[0].By == ByService:
			d = contradiction("serviceUnsure", a.Works...)
		case hits > 1 || a.Partial:
			d = contradiction("several", a.Works...)
		case len(of) == 0:
			d = contradiction("otherKind", a.Works...)
		case q.Topic == Details:
			reason = why("known")
		default:
			reason = why("number", "number", number)
		}
		if d.Contradicted {
			d.Why.Args = map[string]string{"number": number}
			return nil, d
		}
		all = addWork(all, of[0])
	}
	switch {
	case len(r.open) > 0: // a title is asked about once the numbers have failed
		return nil, Decision{}
	case len(all) > 1:
		return nil, contradiction("differ", all...)
	case len(all) == 1:
		return &all[0], Decision{Why: reason}
	}
	w, d := r.byTitle(c)
	if w == nil && c.IDs.TMDB > 0 {
		d.Contradicted, d.Why = true, why("gone").Because(d.Why)
	}
	return w, d
}

// questions are those about the numbers of a clue.
func (c Clue) numberQuestions() (all []Question) {
	if c.IDs.TMDB > 0 {
		all = append(all, Question{Topic: Details, Kind: c.Kind, Number: c.IDs.TMDB})
	}
	if isIMDB(c.IDs.IMDB) {
		all = append(all, Question{Topic: ByIMDB, Text: c.IDs.IMDB})
	}
	if c.IDs.TVDB > 0 && c.Kind == viewing.TV {
		all = append(all, Question{Topic: ByTVDB, Number: c.IDs.TVDB})
	}
	if c.Site != nil {
		all = append(all, Question{Topic: BySite, Kind: c.Kind, Text: c.Site.Name + " " + c.Site.Title + c.Site.Series})
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
func addWork(all []Work, w Work) []Work {
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
func (r *resolver) isOtherWork(w Work, c Clue) bool {
	if !contradictsClue(w, c) {
		return false
	}
	whole, known := r.addDetails(w)
	if !known {
		return len(r.open) == 0
	}
	return contradictsClue(whole, c)
}

// details is a work with its names in other languages; false where nobody tells.
func (r *resolver) addDetails(w Work) (Work, bool) {
	a := r.ask(Question{Topic: Details, Kind: w.Type, Number: w.TMDB})
	if a == nil {
		return w, false
	}
	for _, whole := range a.worksOfKind(w.Type) {
		w.Names = append(append(w.Names[:len(w.Names):len(w.Names)], whole.Title), whole.Names...)
		w.Year, w.Minutes, w.Seasons = cmp.Or(w.Year, whole.Year), whole.Minutes, whole.Seasons
	}
	return w, true
}

// contradicts reports whether a number's work is another than the one reported: no
// name is equal, and the year is not equal either. A film of that name is another
// one, too, when it is more than a year away. The year of a series may be that of a
// season. The service tells one title in a language of its own: there the years decide.
func contradictsClue(w Work, c Clue) bool {
	switch {
	case c.Title == "" || w.Title == "":
		return false
	case w.hasName(c.Title):
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
func (r *resolver) byTitle(c Clue) (*Work, Decision) {
	if normalizeName(c.Title) == "" {
		if len(c.numberQuestions()) > 0 {
			return nil, uncertain("noNumber")
		}
		return nil, uncertain("nothing")
	}
	a := r.ask(Question{Topic: ByTitle, Kind: c.Kind, Text: c.Title, Year: c.Year})
	if a == nil {
		return nil, uncertain("nobody")
	}
	hits := a.worksOfKind(c.Kind)
	own, near, all := r.hitsWithName(hits, c)
	switch {
	case c.Year == 0 && (r.e.Runtime == 0 || a.By != TMDB):
		return nil, uncertain("noYear", hits...)
	case a.Partial && len(hits) > 0 && hits[0].By == ByService:
		return nil, uncertain("serviceUnsure", hits...)
	case a.Partial || !all:
		return nil, uncertain("tooMany", hits...)
	case len(own) == 0:
		return nil, uncertain("noTitle", hits...)
	case len(own) > 1 || len(near) > 0:
		return nil, uncertain("namesake", append(own, near...)...)
	case c.Year > 0:
		return &own[0], Decision{Why: why("title")}
	case c.Kind == viewing.TV:
		r.titleOnly = true
		return &own[0], Decision{}
	}
	if w, _ := r.addDetails(own[0]); !runtimeFits(w.Minutes, r.e.Runtime) {
		return nil, uncertain("noYear", own...)
	}
	return &own[0], Decision{Why: why("runtime")}
}

// fits reports whether a runtime is known, and at most 3 % from what was played.
func runtimeFits(minutes int, played time.Duration) bool {
	whole := time.Duration(minutes) * time.Minute
	return whole > 0 && max(whole-played, played-whole) <= whole*3/100
}

// maxNames is how many hits of another name may be asked for their names in other
// languages.
const maxNameLookups = 6

// called are the hits of that name: own those of that year, near those that may be
// meant as well. It is false where too many would have to be asked. Without a year all
// are own; then a hit whose shown name contains the words was found for these.
func (r *resolver) hitsWithName(hits []Work, c Clue) (own, near []Work, all bool) {
	asked := 0
	for _, w := range hits {
		if w.Type == viewing.Movie && yearsApart(w.Year, c.Year) {
			continue
		}
		if !w.hasName(c.Title) && (c.Year > 0 || !strings.Contains(normalizeName(w.Title), normalizeName(c.Title))) {
			if asked++; asked > maxNameLookups {
				return own, near, false
			}
			w, _ = r.addDetails(w)
		}
		switch {
		case !w.hasName(c.Title):
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
func (r *resolver) decideEpisode() Decision {
	if d := r.byEpisodeNumber(); d.Why.Code != "" || len(r.open) > 0 {
		return d
	}
	e, c := r.e, ClueOf(r.e.Media)
	show, d := r.findWork(c)
	switch {
	case show == nil:
		return d
	case e.Season == nil || e.Episode == nil:
		return r.byEpisodeName(*show, c)
	case *e.Season < 0 || *e.Episode < 1:
		return contradiction("badNumber", *show)
	case yearsApart(show.Year, c.Year) && r.isOtherWork(*show, c):
		return contradiction("otherSeries", *show)
	}
	d = r.byPlace(*show, c, r.isOtherWork(*show, c))
	if gone := c.IDs.TMDB > 0 && c.IDs.TMDB != show.TMDB; gone && d.Item == nil {
		d.Contradicted, d.Why = true, why("goneSeries").Because(d.Why)
	}
	return d
}

// byName decides about an episode that was reported without any number: of all seasons,
// one episode alone must have its name.
func (r *resolver) byEpisodeName(show Work, c Clue) Decision {
	whole, all := r.addDetails(show)
	var found []Episode
	for _, season := range whole.Seasons {
		a := r.ask(Question{Topic: Season, Number: show.TMDB, Season: season})
		if all = all && a != nil; a == nil {
			continue
		}
		for _, p := range a.Episodes {
			if p.hasName(r.e.Title, c.Title) {
				found = append(found, p)
			}
		}
	}
	switch {
	case !all || len(found) != 1 || r.e.Episode != nil || r.titleOnly:
		return uncertain("noPlace", show)
	case found[0].Season == 0 || r.e.Season != nil && *r.e.Season != found[0].Season:
		return uncertain("noPlace", show)
	case r.isOtherWork(show, c):
		return contradiction("otherSeries", show)
	}
	return r.certain(show.Candidate, found[0], why("nameAlone"))
}

// byOwn decides by an episode's own number. The decision says nothing where it has
// none that leads to an episode.
func (r *resolver) byEpisodeNumber() Decision {
	e := r.e
	var questions []Question
	if isIMDB(e.IDs.IMDB) {
		questions = append(questions, Question{Topic: ByIMDB, Kind: viewing.Episode, Text: e.IDs.IMDB})
	}
	if e.IDs.TVDB > 0 {
		questions = append(questions, Question{Topic: ByTVDB, Kind: viewing.Episode, Number: e.IDs.TVDB})
	}
	var found []Episode
	besides := false // TVDB's number is that of a series, too
	for _, q := range questions {
		a := r.ask(q)
		if a == nil {
			continue
		}
		if len(a.Episodes) > 1 || q.Topic == ByIMDB && len(a.Works) > 0 {
			return contradiction("ownSeveral")
		}
		found, besides = append(found, a.Episodes...), besides || len(a.worksOfKind(viewing.TV)) > 0
	}
	switch {
	case len(found) == 0 && e.IDs.TMDB > 0 && len(r.open) == 0:
		return r.byEpisodeTMDB()
	case len(found) == 0:
		return Decision{}
	}
	p := found[0]
	place := e.Season != nil && e.Episode != nil
	placed := place && *e.Season == p.Season && *e.Episode == p.Number
	// Another place and another name are another episode. Where the number is that of a
	// series, too, place or name must agree.
	if !placed && !p.hasName(e.Title, ClueOf(e.Media).Title) && (besides || place && normalizeName(e.Title) != "") {
		return contradiction("ownOther")
	}
	for _, other := range found[1:] {
		if other.Show != p.Show || other.Season != p.Season || other.Number != p.Number {
			return contradiction("ownDiffer")
		}
	}
	if d := r.checkSeries(p, ClueOf(e.Media)); d.Why.Code != "" {
		return d
	}
	return r.certain(seriesOf(p), p, why("own"))
}

func seriesOf(p Episode) Candidate { return Candidate{Type: viewing.TV, TMDB: p.Show} }

// elsewhere holds an episode whose own number is of another series than the one that
// was reported.
func (r *resolver) checkSeries(p Episode, c Clue) Decision {
	show, d := r.decideWork(Clue{Kind: viewing.TV, IDs: c.IDs})
	switch {
	case show != nil && show.TMDB != p.Show:
		return contradiction("ownSeries", *show)
	case show == nil && len(d.Candidates) > 0: // its series' numbers disagree
		return d
	case c.Title == "":
		return Decision{}
	}
	a := r.ask(Question{Topic: Details, Kind: viewing.TV, Number: p.Show})
	if a != nil && len(a.Works) == 1 && contradictsClue(a.Works[0], c) {
		return contradiction("ownSeries", a.Works[0])
	}
	return Decision{}
}

// byOwnTMDB takes the number that TMDB gave to the episode. Nothing of TMDB leads
// from it to series and place, so the season's list is asked where those are known.
func (r *resolver) byEpisodeTMDB() Decision {
	p := Episode{TMDB: r.e.IDs.TMDB}
	c := ClueOf(r.e.Media)
	show, d := r.decideWork(c)
	if show == nil && c.IDs != (viewing.IDs{}) && len(d.Candidates) > 0 { // its series' numbers disagree
		return d
	}
	if show != nil && r.e.Season != nil {
		if a := r.ask(Question{Topic: Season, Number: show.TMDB, Season: *r.e.Season}); a != nil {
			at := slices.IndexFunc(a.Episodes, func(other Episode) bool { return other.TMDB == p.TMDB })
			if at >= 0 {
				return r.certain(show.Candidate, a.Episodes[at], why("listed"))
			}
			if !slices.ContainsFunc(a.Episodes, func(other Episode) bool { return other.TMDB == 0 }) {
				return contradiction("ownElsewhere", *show)
			}
		}
	}
	return r.certain(Candidate{Type: viewing.TV}, p, why("ownTold"))
}

// byPlace decides by series, season and number. Where the series' name is that of
// another, the episode's own name alone can still show that it is right.
func (r *resolver) byPlace(show Work, c Clue, contradicted bool) Decision {
	e, ownCount := r.e, r.e.Site.OwnCount()
	p := Episode{Show: show.TMDB, Season: *e.Season, Number: *e.Episode}
	if p.Season == 0 && c.IDs.TMDB != show.TMDB {
		return uncertain("special", show)
	}
	a := r.ask(Question{Topic: Season, Number: show.TMDB, Season: p.Season})
	elsewhere := false // it is named like another one of that season
	if a != nil {
		at := slices.IndexFunc(a.Episodes, func(other Episode) bool { return other.Number == p.Number })
		if at < 0 {
			return contradiction("noEpisode", show)
		}
		p = a.Episodes[at]
		elsewhere = slices.ContainsFunc(a.Episodes, func(other Episode) bool { return other.Number != p.Number && other.hasName(e.Title, c.Title) })
	}
	asTMDB := c.IDs.TMDB > 0 && c.IDs.TMDB == show.TMDB && c.IDs.IMDB == "" && c.IDs.TVDB == 0
	// A source that knows TVDB's number may count as TVDB does. Behind a name that says
	// nothing there may be two parts.
	asReported := !ownCount && c.IDs.TVDB == 0 && (normalizeName(e.Title) == "" || !isGenericName(e.Title, c.Title))
	switch named := p.hasName(e.Title, c.Title); {
	case p.Season == 0:
		return uncertain("special", show)
	case r.titleOnly && (!runtimeFits(p.Minutes, e.Runtime) || !named && (ownCount || elsewhere)):
		return uncertain("noYear", show)
	case r.titleOnly:
		return r.certain(show.Candidate, p, why("runtime"))
	case named:
		return r.certain(show.Candidate, p, why("name"))
	case contradicted:
		return contradiction("otherSeries", show)
	case asTMDB && !ownCount:
		return r.certain(show.Candidate, p, why("counts"))
	case a == nil && show.By != "" && asReported:
		return r.certain(show.Candidate, p, why("place"))
	default:
		return uncertain("noWitness", show)
	}
}
