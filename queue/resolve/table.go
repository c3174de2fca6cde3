package resolve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Decide says what evidence means, by the table of the package's comment.
func Decide(e Evidence, known Known) Decision {
	if e.Unsure { // a person may find it among what it would be else
		e.Unsure = false
		d := Decide(e, known)
		if d.Item != nil {
			d.Candidates = []Work{d.Named}
		}
		return Decision{Open: d.Open, Candidates: d.Candidates, Why: "where it was seen is not to be trusted"}
	}
	j := &judge{known: known}
	var d Decision
	switch e.Kind {
	case viewing.Movie, viewing.TV:
		var w *Work
		if w, d = j.work(e.Kind, e.Own); w != nil {
			d = Decision{Item: &Item{Kind: e.Kind, TMDB: w.TMDB}, Named: *w, Why: d.Why}
		}
	case viewing.Episode:
		d = j.episode(e)
	default:
		d = j.kindless(e.Own)
	}
	if len(j.open) > 0 {
		return Decision{Open: j.open}
	}
	return d
}

// Asks reports whether anything must be asked before something can be decided.
func Asks(e Evidence) bool { return len(Decide(e, answers(nil)).Open) > 0 }

// Alone decides by what was reported, where nobody can be asked.
func Alone(e Evidence) Decision { return Decide(e, nobody{}) }

type nobody struct{}

func (nobody) Answer(Question) (*Answer, bool) { return nil, true }

// answers are those that are known; all else must be asked.
type answers map[Question]*Answer

func (a answers) Answer(q Question) (*Answer, bool) {
	one, known := a[q]
	return one, known
}

// judge answers from what is known, and collects what is not.
type judge struct {
	known Known
	open  []Question
}

// ask is nil where nobody can answer, and where it must be asked first.
func (j *judge) ask(q Question) *Answer {
	a, known := j.known.Answer(q)
	if !known && !slices.Contains(j.open, q) {
		j.open = append(j.open, q)
	}
	if !known {
		return nil
	}
	return a
}

// held leaves it to a person for want of a witness.
func held(why string, candidates ...Work) Decision {
	return Decision{Why: why, Candidates: candidates}
}

// against leaves it to a person because something contradicts.
func against(why string, candidates ...Work) Decision {
	return Decision{Why: why, Candidates: candidates, Against: true}
}

// kindless is what an item may be whose kind was not reported. A number alone names
// two works: films and series are counted apart.
func (j *judge) kindless(r Reported) Decision {
	d := held("it was not told whether it is a film or a series")
	if r.Title != "" {
		for _, ask := range []Ask{SearchFor, SearchTV} {
			if a := j.ask(Question{Ask: ask, Text: r.Title}); a != nil {
				d.Candidates = append(d.Candidates, append(a.Films, a.Series...)...)
			}
		}
	}
	return d
}

// work is the film or series that was reported; nil where it is not certain, and why.
func (j *judge) work(kind viewing.MediaType, r Reported) (*Work, Decision) {
	w, d := j.byNumbers(kind, r)
	if w != nil && j.contradicted(*w, r) {
		return nil, against("name and year are those of another work", *w)
	}
	return w, d
}

// byNumbers is the work that the numbers name, or else title and year. Name and year
// may still speak against the numbers.
func (j *judge) byNumbers(kind viewing.MediaType, r Reported) (*Work, Decision) {
	var found []Work
	why := ""
	for _, by := range []func(viewing.MediaType, Reported) claim{j.byTMDB, j.byIMDB, j.byTVDB, j.bySite} {
		c := by(kind, r)
		if c.against != "" {
			return nil, against(c.against, c.found...)
		}
		for _, w := range c.found {
			found, why = merge(found, w), c.why
		}
	}
	switch {
	case len(j.open) > 0: // a name is asked about once the numbers have failed
		return nil, Decision{}
	case len(found) > 1:
		return nil, against("its numbers name different works", found...)
	case len(found) == 1:
		return &found[0], Decision{Why: why}
	}
	w, d := j.byName(kind, r)
	if w == nil && r.TMDB > 0 {
		d = against("TMDB has nothing with its number, and "+d.Why, d.Candidates...)
	}
	return w, d
}

// contradicted reports whether name and year are those of another work, whatever
// language the name is in.
func (j *judge) contradicted(w Work, r Reported) bool {
	if !contradicts(w, r) {
		return false
	}
	a := j.ask(detailsOf(w.Type, w.TMDB))
	if a == nil {
		return len(j.open) == 0
	}
	for _, whole := range a.of(w.Type) {
		w.Names = append(append(w.Names[:len(w.Names):len(w.Names)], whole.Title), whole.Names...)
		w.Year = cmp.Or(w.Year, whole.Year)
	}
	return contradicts(w, r)
}

// detailsOf asks about a work for its names in other languages.
func detailsOf(kind viewing.MediaType, tmdb int64) Question {
	if kind == viewing.TV {
		return Question{Ask: AskSeries, Number: tmdb}
	}
	return Question{Ask: AskFilm, Number: tmdb}
}

// claim is what a number says: nothing, a work, or something against it.
type claim struct {
	found   []Work
	why     string
	against string
}

func (j *judge) byTMDB(kind viewing.MediaType, r Reported) claim {
	if r.TMDB <= 0 {
		return claim{}
	}
	a := j.ask(detailsOf(kind, r.TMDB))
	if a == nil {
		return claim{found: []Work{{Candidate: Candidate{Type: kind, TMDB: r.TMDB}}}, why: "its source told the TMDB number"}
	}
	return claim{found: a.of(kind), why: "TMDB has that number"} // a number that is gone says nothing
}

// isIMDB reports whether it is an IMDb number of a work: "tt" and seven to ten
// digits. Others are of people and companies.
func isIMDB(number string) bool {
	digits, ok := strings.CutPrefix(number, "tt")
	return ok && len(digits) >= 7 && len(digits) <= 10 && strings.Trim(digits, "0123456789") == ""
}

func (j *judge) byIMDB(kind viewing.MediaType, r Reported) claim {
	if !isIMDB(r.IMDB) {
		return claim{}
	}
	return j.ask(Question{Ask: AskIMDB, Text: r.IMDB}).one(kind, "its IMDb number")
}

// bySite asks about the number that a site gave to a film or series.
func (j *judge) bySite(kind viewing.MediaType, r Reported) claim {
	if r.Site == "" {
		return claim{}
	}
	q := Question{Ask: AtSite, Text: r.Site}
	if kind == viewing.TV {
		q.Ask = AtSiteTV
	}
	site, _, _ := strings.Cut(r.Site, " ")
	return j.ask(q).one(kind, "its number at "+site)
}

// one is what a number says that all works share.
func (a *Answer) one(kind viewing.MediaType, number string) claim {
	if a.empty() {
		return claim{}
	}
	switch all, of := append(slices.Clone(a.Films), a.Series...), a.of(kind); {
	case a.Partial && len(all) == 1 && all[0].By == ByService:
		return claim{against: "the service is not sure what has " + number, found: all}
	case len(all)+len(a.Episodes) > 1, a.Partial:
		return claim{against: number + " names several works", found: all}
	case len(of) == 0:
		return claim{against: number + " is that of another kind", found: all}
	default:
		return claim{found: of, why: of[0].by() + " finds one work with " + number}
	}
}

// byTVDB asks about series alone. TVDB counts series and episodes apart, so what it
// finds of another kind is another work.
func (j *judge) byTVDB(kind viewing.MediaType, r Reported) claim {
	if kind != viewing.TV || r.TVDB <= 0 {
		return claim{}
	}
	a := j.ask(Question{Ask: AskTVDB, Number: r.TVDB})
	switch {
	case a == nil || len(a.Series) == 0:
		return claim{}
	case len(a.Series) > 1, a.Partial:
		return claim{against: "its TVDB number names several series", found: a.Series}
	default:
		return claim{found: a.Series, why: a.Series[0].by() + " finds one series with its TVDB number"}
	}
}

// by is who says that this is the work.
func (w Work) by() string { return cmp.Or(w.By, "TMDB") }

// merge adds a work that is not among them. What one answer tells of it fills what
// another left out.
func merge(all []Work, w Work) []Work {
	at := slices.IndexFunc(all, func(other Work) bool { return other.TMDB == w.TMDB })
	switch {
	case at < 0:
		return append(all, w)
	case all[at].Title == "":
		all[at] = w
	}
	return all
}

// contradicts reports whether a number's work is another than the one reported: no
// name is equal, and the year is not equal either. A film of that name is another
// one, too, when it is more than a year away. The year of a series may be that of a
// season. The service tells one title in a language of its own: there the years decide.
func contradicts(w Work, r Reported) bool {
	switch {
	case r.Title == "" || w.Title == "":
		return false
	case w.called(r.Title):
		return w.Type == viewing.Movie && yearsApart(r.Year, w.Year)
	case w.By == ByService:
		return yearsApart(r.Year, w.Year)
	default:
		return r.Year == 0 || r.Year != w.Year
	}
}

// yearsApart reports whether both years are known and more than one apart.
func yearsApart(a, b int) bool { return a > 0 && b > 0 && max(a-b, b-a) > 1 }

// byName decides by title and year.
func (j *judge) byName(kind viewing.MediaType, r Reported) (*Work, Decision) {
	if fold(r.Title) == "" {
		if isIMDB(r.IMDB) || kind == viewing.TV && r.TVDB > 0 || r.Site != "" {
			return nil, held("nothing is known by its number")
		}
		return nil, held("no number or title names it")
	}
	search := SearchFor
	if kind == viewing.TV {
		search = SearchTV
	}
	a := j.ask(Question{Ask: search, Text: r.Title, Year: r.Year})
	if a == nil {
		return nil, held("nobody can tell what has this title")
	}
	hits := a.of(kind)
	if r.Year == 0 {
		return nil, held("its year is not known", hits...)
	}
	own, near, all := j.called(hits, r)
	switch {
	case a.Partial && len(hits) > 0 && hits[0].By == ByService:
		return nil, held("the service is not sure of it", hits...)
	case a.Partial || !all:
		return nil, held("there are too many of that title to read them all", hits...)
	case len(own) == 0:
		return nil, held("nothing of that title and year is known", hits...)
	case len(own) > 1 || len(near) > 0:
		return nil, held("there is another of that title", append(own, near...)...)
	}
	return &own[0], Decision{Why: "title and year are those of one work alone"}
}

// maxNames is how many hits of another name may be asked for their names in other
// languages.
const maxNames = 6

// called are the hits of that name: own those of that year, near those that may be
// meant as well. It is false where too many would have to be asked.
func (j *judge) called(hits []Work, r Reported) (own, near []Work, all bool) {
	asked := 0
	for _, w := range hits {
		if w.Type == viewing.Movie && yearsApart(w.Year, r.Year) {
			continue
		}
		if !w.called(r.Title) {
			if asked++; asked > maxNames {
				return own, near, false
			}
			if a := j.ask(detailsOf(w.Type, w.TMDB)); a != nil {
				for _, whole := range a.of(w.Type) {
					w.Names = append(w.Names, append(whole.Names, whole.Title)...)
				}
			}
		}
		switch {
		case !w.called(r.Title):
		case w.Year == r.Year:
			own = append(own, w)
		default:
			near = append(near, w)
		}
	}
	return own, near, true
}

// episode decides about an episode: by its own numbers, else by its series and its
// place there.
func (j *judge) episode(e Evidence) Decision {
	if d := j.byOwn(e); d.Why != "" || len(j.open) > 0 {
		return d
	}
	show, d := j.byNumbers(viewing.TV, e.Show)
	switch {
	case show == nil:
		return d
	case e.Season == nil || e.Episode == nil:
		return held("its season and number are not known", *show)
	case *e.Season < 0 || *e.Episode < 1:
		return against("the episode number is missing or below 1", *show)
	case yearsApart(show.Year, e.Show.Year) && j.contradicted(*show, e.Show):
		return against("name and year are those of another series", *show)
	}
	d = j.byPlace(*show, e, j.contradicted(*show, e.Show))
	if gone := e.Show.TMDB > 0 && e.Show.TMDB != show.TMDB; gone && d.Item == nil {
		d.Against, d.Why = true, "TMDB has nothing with its series' number, and "+d.Why
	}
	return d
}

// byOwn decides by an episode's own number. The decision says nothing where it has
// none that leads to an episode.
func (j *judge) byOwn(e Evidence) Decision {
	var questions []Question
	if isIMDB(e.Own.IMDB) {
		questions = append(questions, Question{Ask: AskIMDB, Text: e.Own.IMDB, Own: true})
	}
	if e.Own.TVDB > 0 {
		questions = append(questions, Question{Ask: AskTVDB, Number: e.Own.TVDB, Own: true})
	}
	var found []Part
	besides := false // TVDB's number is that of a series, too
	for _, q := range questions {
		a := j.ask(q)
		if a == nil {
			continue
		}
		if len(a.Episodes) > 1 || q.Ask == AskIMDB && len(a.Films)+len(a.Series) > 0 {
			return against("its own number names several episodes or works")
		}
		found, besides = append(found, a.Episodes...), besides || len(a.Series) > 0
	}
	switch {
	case len(found) == 0 && e.Own.TMDB > 0 && len(j.open) == 0:
		return j.byOwnTMDB(e)
	case len(found) == 0:
		return Decision{}
	case e.disagrees(found[0], besides):
		return against("its own number is that of another episode")
	}
	p := found[0]
	for _, other := range found[1:] {
		if other.Show != p.Show || other.Season != p.Season || other.Number != p.Number {
			return against("its numbers name different episodes")
		}
	}
	if d := j.elsewhere(p, e.Show); d.Why != "" {
		return d
	}
	return certain(p, "TMDB finds one episode with its own number")
}

// disagrees reports whether an episode's own number leads to another place and
// another name than were reported. Where the number is that of a series, too, place
// or name must agree.
func (e Evidence) disagrees(p Part, besides bool) bool {
	place := e.Season != nil && e.Episode != nil
	placed := place && *e.Season == p.Season && *e.Episode == p.Number
	return !placed && !p.named(e.Own.Title, e.Show.Title) && (besides || place && fold(e.Own.Title) != "")
}

// elsewhere holds an episode whose own number is of another series than the one that
// was reported.
func (j *judge) elsewhere(p Part, r Reported) Decision {
	show, d := j.work(viewing.TV, Reported{IDs: r.IDs})
	switch {
	case show != nil && show.TMDB != p.Show:
		return against("its own number is of another series", *show)
	case show == nil && len(d.Candidates) > 0: // its series' numbers disagree
		return d
	case r.Title == "":
		return Decision{}
	}
	if a := j.ask(Question{Ask: AskSeries, Number: p.Show}); a != nil && len(a.Series) == 1 && contradicts(a.Series[0], r) {
		return against("its own number is of another series", a.Series[0])
	}
	return Decision{}
}

// byOwnTMDB takes the number that TMDB gave to the episode. Nothing of TMDB leads
// from it to series and place, so the season's list is asked where those are known.
func (j *judge) byOwnTMDB(e Evidence) Decision {
	p := Part{TMDB: e.Own.TMDB}
	show, d := j.work(viewing.TV, e.Show)
	if show == nil && e.Show.IDs != (viewing.IDs{}) && len(d.Candidates) > 0 { // its series' numbers disagree
		return d
	}
	if show != nil && e.Season != nil {
		if a := j.ask(Question{Ask: AskSeason, Number: show.TMDB, Season: *e.Season}); a != nil {
			own := func(other Part) bool { return other.TMDB == p.TMDB }
			if at := slices.IndexFunc(a.Episodes, own); at >= 0 {
				return certain(a.Episodes[at], "the season's list has its own number")
			}
			if !slices.ContainsFunc(a.Episodes, func(other Part) bool { return other.TMDB == 0 }) {
				return against("its own number is not in that season", *show)
			}
		}
	}
	return certain(p, "its source told the episode's TMDB number")
}

// byPlace decides by series, season and number. Where the series' name is that of
// another, the episode's own name alone can still show that it is right.
func (j *judge) byPlace(show Work, e Evidence, contradicted bool) Decision {
	p := Part{Show: show.TMDB, Season: *e.Season, Number: *e.Episode}
	if p.Season == 0 && e.Show.TMDB != show.TMDB {
		return held("specials are numbered by each list alone", show)
	}
	a := j.ask(Question{Ask: AskSeason, Number: show.TMDB, Season: p.Season})
	if a != nil {
		at := slices.IndexFunc(a.Episodes, func(other Part) bool { return other.Number == p.Number })
		if at < 0 {
			return against("TMDB has no such episode in that season", show)
		}
		p = a.Episodes[at]
	}
	asTMDB := e.Show.TMDB > 0 && e.Show.TMDB == show.TMDB && e.Show.IMDB == "" && e.Show.TVDB == 0
	// A source that knows TVDB's number may count as TVDB does. Behind a name that says
	// nothing there may be two parts.
	asReported := !e.OwnCount && e.Show.TVDB == 0 && (fold(e.Own.Title) == "" || !generic(e.Own.Title, e.Show.Title))
	switch {
	case p.Season == 0:
		return held("specials are numbered by each list alone", show)
	case p.named(e.Own.Title, e.Show.Title):
		return certain(p, "its name is that of the episode at its place")
	case contradicted:
		return against("name and year are those of another series", show)
	case asTMDB && !e.OwnCount:
		return certain(p, "its source counts as TMDB does")
	case a == nil && show.By != "" && asReported:
		return certain(p, show.By+" names its series, and the service is told season and number as its source tells them")
	default:
		return held("nothing shows that its source counts as TMDB does", show)
	}
}

func certain(p Part, why string) Decision {
	return Decision{
		Why: why, Item: &Item{Kind: viewing.Episode, TMDB: p.Show, Season: p.Season, Number: p.Number, Own: p.TMDB},
		Named: Work{Candidate: Candidate{Type: viewing.TV, TMDB: p.Show}},
	}
}
