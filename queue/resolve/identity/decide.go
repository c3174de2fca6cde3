package identity

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Decide says what evidence means, by the table of the package's doc.
func Decide(e Evidence, known Known) Decision {
	if e.Unsure {
		return held("where it was seen is not to be trusted")
	}
	j := &judge{known: known}
	var d Decision
	switch e.Kind {
	case viewing.Movie, viewing.TV:
		d = j.itself(e.Kind, e.Own)
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
func Asks(e Evidence) bool { return len(Decide(e, unasked{}).Open) > 0 }

// unasked knows nothing.
type unasked struct{}

func (unasked) Answer(Question) (*Answer, bool) { return nil, false }

// judge answers from what is known, and collects what is not.
type judge struct {
	known Known
	open  []Question
}

// ask is nil where nobody can answer, and where it must be asked first.
func (j *judge) ask(q Question) *Answer {
	a, known := j.known.Answer(q)
	if !known {
		if !slices.Contains(j.open, q) {
			j.open = append(j.open, q)
		}
		return nil
	}
	return a
}

// held is a decision that leaves it to a person.
func held(why string, candidates ...Work) Decision {
	return Decision{Why: why, Candidates: candidates}
}

// kindless is what an item may be whose kind was not told. A number alone names
// two works: films and series are counted apart.
func (j *judge) kindless(t Told) Decision {
	d := held("it was not told whether it is a film or a series")
	if t.Title != "" {
		for _, ask := range []Ask{SearchFor, SearchTV} {
			if a := j.ask(Question{Ask: ask, Text: t.Title}); a != nil {
				d.Candidates = append(d.Candidates, append(a.Films, a.Series...)...)
			}
		}
	}
	return d
}

// itself decides about a film or series.
func (j *judge) itself(kind viewing.MediaType, t Told) Decision {
	work, d := j.work(kind, t)
	if work == nil {
		return d
	}
	return Decision{Item: &Item{Kind: kind, TMDB: work.TMDB}, Named: *work, Why: d.Why}
}

// work is the film or series that is told; nil where it is not certain, and why.
func (j *judge) work(kind viewing.MediaType, t Told) (*Work, Decision) {
	w, d := j.byNumbers(kind, t)
	if w != nil && j.contradicted(kind, *w, t) {
		return nil, held("name and year are those of another work", *w)
	}
	return w, d
}

// byNumbers is the work that the numbers name, or else title and year. Name and
// year may still speak against the numbers.
func (j *judge) byNumbers(kind viewing.MediaType, t Told) (*Work, Decision) {
	var found []Work
	why := ""
	for _, by := range []func(viewing.MediaType, Told) claim{j.byTMDB, j.byIMDB, j.byTVDB, j.bySite} {
		c := by(kind, t)
		if c.against != "" {
			return nil, held(c.against, c.found...)
		}
		for _, w := range c.found {
			found = merge(found, w)
			why = c.why
		}
	}
	switch {
	case len(j.open) > 0: // a name is asked about once the numbers have failed
		return nil, Decision{}
	case len(found) > 1:
		return nil, held("its numbers name different works", found...)
	case len(found) == 0:
		return j.byName(kind, t)
	}
	return &found[0], Decision{Why: why}
}

// contradicted reports whether name and year are those of another work, whatever
// language the name is in.
func (j *judge) contradicted(kind viewing.MediaType, w Work, t Told) bool {
	if !contradicts(w, t) {
		return false
	}
	a := j.ask(detailsOf(w))
	if a == nil {
		return len(j.open) == 0
	}
	for _, whole := range a.of(kind) {
		w.Names = append(append(w.Names[:len(w.Names):len(w.Names)], whole.Title), whole.Names...)
		w.Year = cmp.Or(w.Year, whole.Year)
	}
	return contradicts(w, t)
}

// detailsOf asks about a work for its names in other languages.
func detailsOf(w Work) Question {
	if w.Kind == viewing.TV {
		return Question{Ask: AskSeries, Number: w.TMDB}
	}
	return Question{Ask: AskFilm, Number: w.TMDB}
}

// claim is what a number says: nothing, a work, or something against it.
type claim struct {
	found   []Work
	why     string
	against string
}

func (j *judge) byTMDB(kind viewing.MediaType, t Told) claim {
	if t.TMDB <= 0 {
		return claim{}
	}
	a := j.ask(detailsOf(Work{Kind: kind, TMDB: t.TMDB}))
	if a == nil {
		return claim{found: []Work{{Kind: kind, TMDB: t.TMDB}}, why: "its source told the TMDB number"}
	}
	return claim{found: a.of(kind), why: "TMDB has that number"} // a number that is gone says nothing
}

// imdbForm reports whether it is an IMDb number of a work: "tt" and seven to
// ten digits. Others are of people and companies.
func imdbForm(number string) bool {
	digits, ok := strings.CutPrefix(number, "tt")
	return ok && len(digits) >= 7 && len(digits) <= 10 && strings.Trim(digits, "0123456789") == ""
}

func (j *judge) byIMDB(kind viewing.MediaType, t Told) claim {
	if !imdbForm(t.IMDB) {
		return claim{}
	}
	a := j.ask(Question{Ask: AskIMDB, Text: t.IMDB})
	if a == nil {
		return claim{}
	}
	return a.one(kind, "its IMDb number")
}

// bySite asks about the number that a site gave to a film or series.
func (j *judge) bySite(kind viewing.MediaType, t Told) claim {
	q := Question{Ask: AtSite, Text: t.Site}
	if kind == viewing.TV {
		q.Ask = AtSiteTV
	}
	if t.Site == "" {
		return claim{}
	}
	a := j.ask(q)
	if a == nil {
		return claim{}
	}
	site, _, _ := strings.Cut(t.Site, " ")
	return a.one(kind, "its number at "+site)
}

// one is what a number says that all works share.
func (a *Answer) one(kind viewing.MediaType, number string) claim {
	switch all, of := append(slices.Clone(a.Films), a.Series...), a.of(kind); {
	case len(all)+len(a.Episodes) == 0:
		return claim{}
	case len(all)+len(a.Episodes) > 1, a.Partial:
		return claim{against: number + " names several works", found: all}
	case len(of) == 0:
		return claim{against: number + " is that of another kind", found: all}
	default:
		return claim{found: of, why: of[0].by() + " finds one work with " + number}
	}
}

// byTVDB asks about series alone. TVDB counts series and episodes apart, so what
// it finds of another kind is another work.
func (j *judge) byTVDB(kind viewing.MediaType, t Told) claim {
	if kind != viewing.TV || t.TVDB <= 0 {
		return claim{}
	}
	a := j.ask(Question{Ask: AskTVDB, Number: t.TVDB})
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

// of are the works of a kind.
func (a *Answer) of(kind viewing.MediaType) []Work {
	if kind == viewing.TV {
		return a.Series
	}
	return a.Films
}

// merge adds a work that is not among them. What one answer tells of it fills
// what another left out.
func merge(all []Work, w Work) []Work {
	for i, other := range all {
		if other.TMDB != w.TMDB {
			continue
		}
		if other.Title == "" {
			all[i] = w
		}
		return all
	}
	return append(all, w)
}

// contradicts reports whether a number's work is another than the one told: no
// name is equal, and the year is not equal either. A film of that name is another
// one, too, when it is more than a year away. The year of a series may be that of
// a season.
func contradicts(w Work, t Told) bool {
	switch {
	case t.Title == "" || w.Title == "":
		return false
	case w.called(t.Title):
		return w.Kind == viewing.Movie && yearsApart(w, t)
	default:
		return t.Year == 0 || t.Year != w.Year
	}
}

// yearsApart reports whether both years are known and more than one apart.
func yearsApart(w Work, t Told) bool { return t.Year > 0 && w.Year > 0 && apart(t.Year, w.Year) > 1 }

func apart(a, b int) int { return max(a-b, b-a) }

// byName decides by title and year.
func (j *judge) byName(kind viewing.MediaType, t Told) (*Work, Decision) {
	if fold(t.Title) == "" && t.TMDB > 0 {
		return nil, held("TMDB has nothing with its number")
	}
	if fold(t.Title) == "" {
		return nil, held("no number or title names it")
	}
	search := SearchFor
	if kind == viewing.TV {
		search = SearchTV
	}
	a := j.ask(Question{Ask: search, Text: t.Title})
	if a == nil {
		return nil, held("nobody can tell what has this title")
	}
	hits := a.of(kind)
	if t.Year == 0 {
		return nil, held("its year is not known", hits...)
	}
	own, near, all := j.called(kind, hits, t)
	switch {
	case a.Partial || !all:
		return nil, held("there are too many of that title to read them all", hits...)
	case len(own) == 0:
		return nil, held("TMDB has none of that title and year", hits...)
	case len(own) > 1 || len(near) > 0:
		return nil, held("there is another of that title", append(own, near...)...)
	}
	return &own[0], Decision{Why: "title and year are those of one work alone"}
}

// maxNames is how many hits of another name may be asked for their names in
// other languages.
const maxNames = 6

// called are the hits of that name: own those of that year, near those that may
// be meant as well. It is false where too many would have to be asked.
func (j *judge) called(kind viewing.MediaType, hits []Work, t Told) (own, near []Work, all bool) {
	asked := 0
	for _, w := range hits {
		if kind == viewing.Movie && w.Year != 0 && apart(w.Year, t.Year) > 1 {
			continue
		}
		if !w.called(t.Title) {
			if asked++; asked > maxNames {
				return own, near, false
			}
			if a := j.ask(detailsOf(w)); a != nil {
				for _, whole := range a.of(kind) {
					w.Names = append(w.Names, append(whole.Names, whole.Title)...)
				}
			}
		}
		switch {
		case !w.called(t.Title):
		case w.Year == t.Year:
			own = append(own, w)
		default:
			near = append(near, w)
		}
	}
	return own, near, true
}
