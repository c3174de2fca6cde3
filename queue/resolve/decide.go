package resolve

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Decide applies the table of the package comment to the evidence. known returns the answer
// to a question: nil if no provider can answer it, false if it was not asked yet. If there
// are such questions, the decision contains only them.
func Decide(e Evidence, known func(Question) (*Answer, bool)) Decision {
	r := &resolver{evidence: e, known: known}
	var d Decision
	switch e.Type {
	case viewing.Movie, viewing.TV:
		var w *Work
		if w, d = r.decideWork(ClueOf(e.Media)); w != nil {
			d = r.certain(w.Candidate, Episode{}, d.Why)
		}
	case viewing.Episode:
		d = r.decideEpisode()
	default: // without a kind, a TMDB number may be that of a film and of a series
		d = uncertain("kind")
	}
	if len(r.open) > 0 {
		return Decision{Unanswered: r.open}
	}
	if e.Unsure { // the result is only a candidate for the user
		if d.Item != nil {
			d.Candidates = []Candidate{d.Work}
		}
		d = Decision{Candidates: d.Candidates, Why: why("unsure")}
	}
	d.By, d.FromCache = cmp.Or(r.answeredBy, r.lastAsked), r.answeredBy+r.lastAsked != "" && !r.fresh
	return d
}

// NeedsAnswers reports whether questions must be answered before the evidence can be decided.
func NeedsAnswers(e Evidence) bool {
	return len(Decide(e, func(Question) (*Answer, bool) { return nil, false }).Unanswered) > 0
}

// resolver decides about one piece of evidence, and collects the open questions.
type resolver struct {
	evidence              Evidence
	known                 func(Question) (*Answer, bool)
	open                  []Question
	answeredBy, lastAsked string // the last provider with a result, and with an empty answer
	fresh                 bool   // a request was made for an answer
	titleOnly             bool   // the series was found by its title without a year
}

// ask returns the answer to a question; nil if no provider can answer it, or if it is open.
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

// why returns the message for a row of the table.
func why(code string, pairs ...string) viewing.Message { return viewing.Say("why."+code, pairs...) }

// uncertain returns a decision for the user: the evidence is not sufficient.
func uncertain(code string, works ...Work) Decision {
	d := Decision{Why: why(code)}
	for _, w := range works {
		d.Candidates = append(d.Candidates, w.Candidate)
	}
	return d
}

// contradiction returns a decision for the user: the evidence contradicts itself or TMDB.
func contradiction(code string, works ...Work) Decision {
	d := uncertain(code, works...)
	d.Contradicted = true
	return d
}

// certain returns a certain decision for a work, or for an episode p of it. The work is
// unknown (TMDB is 0) for an episode with only its own number.
func (r *resolver) certain(w Candidate, p Episode, why viewing.Message) Decision {
	is := w.Apply(r.evidence.Media)
	if is.Type == viewing.Episode {
		is.IDs.TMDB = cmp.Or(p.TMDB, r.evidence.IDs.TMDB)
		if is.Season, is.Episode = &p.Season, &p.Number; w.TMDB == 0 {
			is = r.evidence.Media
			is.IDs.TMDB = p.TMDB
		}
	}
	return Decision{Item: &is, Work: w, Why: why}
}

// decideWork returns the film or series of a clue, or nil and a decision if it is not
// certain.
func (r *resolver) decideWork(c Clue) (*Work, Decision) {
	w, d := r.findWork(c)
	switch {
	case w != nil && r.isOtherWork(*w, c):
		return nil, contradiction("otherWork", *w)
	case w != nil && r.titleOnly && c.Kind == viewing.TV: // a series has no runtime to compare
		return nil, uncertain("noYear", *w)
	}
	return w, d
}

// findWork returns the work with the numbers of a clue, or else with its title. It does not
// check whether name and year contradict the numbers.
func (r *resolver) findWork(c Clue) (*Work, Decision) {
	var all []Work
	var reason viewing.Message
	for _, q := range c.numberQuestions() {
		number := map[Topic]string{ByIMDB: "IMDb", ByTVDB: "TVDB"}[q.Topic]
		if q.Topic == BySite {
			number = c.Site.Name
		}
		a := r.ask(q)
		if a == nil && q.Topic == Details { // no provider: use the reported number
			all, reason = []Work{{Candidate: Candidate{Type: c.Kind, TMDB: c.IDs.TMDB}}}, why("told")
			continue
		}
		if a.isEmpty() {
			continue // unknown number; a TMDB number may have been deleted
		}
		of := a.worksOfKind(c.Kind)
		hits := len(a.Works) + len(a.Episodes)
		if q.Topic == ByTVDB { // a series and an episode may have the same TVDB number
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
	case len(r.open) > 0: // the title is searched only if the numbers find nothing
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

// numberQuestions returns the questions about the numbers of a clue.
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

// isIMDB reports whether number is an IMDb number of a work or episode: "tt" and seven to
// ten digits. Other prefixes are for people and companies.
func isIMDB(number string) bool {
	digits, ok := strings.CutPrefix(number, "tt")
	return ok && len(digits) >= 7 && len(digits) <= 10 && strings.Trim(digits, "0123456789") == ""
}

// addWork adds a work, or replaces one with the same number that has no title.
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

// isOtherWork reports whether name and year contradict the work, with its names in all
// languages.
func (r *resolver) isOtherWork(w Work, c Clue) bool {
	if !contradictsClue(w, c) {
		return false
	}
	detailed, known := r.addDetails(w)
	if !known {
		return len(r.open) == 0
	}
	return contradictsClue(detailed, c)
}

// addDetails returns a work with its names in other languages, its runtime and seasons;
// false if no provider knows them.
func (r *resolver) addDetails(w Work) (Work, bool) {
	a := r.ask(Question{Topic: Details, Kind: w.Type, Number: w.TMDB})
	if a == nil {
		return w, false
	}
	for _, detailed := range a.worksOfKind(w.Type) {
		w.Names = append(append(w.Names[:len(w.Names):len(w.Names)], detailed.Title), detailed.Names...)
		w.Year, w.Minutes, w.Seasons = cmp.Or(w.Year, detailed.Year), detailed.Minutes, detailed.Seasons
	}
	return w, true
}

// contradictsClue reports whether a work found by number is not the reported one: neither
// a name nor the year is equal, or it is a film of that name, but more than one year apart.
// (The reported year of a series may be that of a season.) The service returns only one
// title, in a language of its choice: if that differs, only the years are compared.
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

// byTitle decides by title and year. Without a year, exactly one work must have that title,
// and the runtime of a film must fit; for an episode, byPlace compares the runtime.
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
	exact, near, complete := r.hitsWithName(hits, c)
	switch {
	case c.Year == 0 && (r.evidence.Runtime == 0 || a.By != TMDB):
		return nil, uncertain("noYear", hits...)
	case a.Partial && len(hits) > 0 && hits[0].By == ByService:
		return nil, uncertain("serviceUnsure", hits...)
	case a.Partial || !complete:
		return nil, uncertain("tooMany", hits...)
	case len(exact) == 0:
		return nil, uncertain("noTitle", hits...)
	case len(exact) > 1 || len(near) > 0:
		return nil, uncertain("namesake", append(exact, near...)...)
	case c.Year > 0:
		return &exact[0], Decision{Why: why("title")}
	case c.Kind == viewing.TV:
		r.titleOnly = true
		return &exact[0], Decision{}
	}
	if w, _ := r.addDetails(exact[0]); !runtimeFits(w.Minutes, r.evidence.Runtime) {
		return nil, uncertain("noYear", exact...)
	}
	return &exact[0], Decision{Why: why("runtime")}
}

// runtimeFits reports whether a runtime is known and differs by at most 3 % from the
// player's.
func runtimeFits(minutes int, played time.Duration) bool {
	runtime := time.Duration(minutes) * time.Minute
	return runtime > 0 && max(runtime-played, played-runtime) <= runtime*3/100
}

// maxNameLookups is for how many hits with another title the names in other languages are
// looked up.
const maxNameLookups = 6

// hitsWithName returns the hits with the clue's name: exact those of its year, near those of
// other years that may be meant. complete is false if more than maxNameLookups hits would
// need a look-up. Without a year all hits are exact, and a hit that contains the words in its
// title needs no look-up.
func (r *resolver) hitsWithName(hits []Work, c Clue) (exact, near []Work, complete bool) {
	lookups := 0
	for _, w := range hits {
		if w.Type == viewing.Movie && yearsApart(w.Year, c.Year) {
			continue
		}
		if !w.hasName(c.Title) && (c.Year > 0 || !strings.Contains(normalizeName(w.Title), normalizeName(c.Title))) {
			if lookups++; lookups > maxNameLookups {
				return exact, near, false
			}
			w, _ = r.addDetails(w)
		}
		switch {
		case !w.hasName(c.Title):
		case w.Year == c.Year || c.Year == 0:
			exact = append(exact, w)
		default:
			near = append(near, w)
		}
	}
	return exact, near, true
}

// decideEpisode decides about an episode: by its own numbers, else by series, season and
// number.
func (r *resolver) decideEpisode() Decision {
	if d := r.byEpisodeNumber(); d.Why.Code != "" || len(r.open) > 0 {
		return d
	}
	e, c := r.evidence, ClueOf(r.evidence.Media)
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
	if deleted := c.IDs.TMDB > 0 && c.IDs.TMDB != show.TMDB; deleted && d.Item == nil {
		d.Contradicted, d.Why = true, why("goneSeries").Because(d.Why)
	}
	return d
}

// byEpisodeName decides about an episode reported without a number: exactly one episode of
// all seasons must have its name.
func (r *resolver) byEpisodeName(show Work, c Clue) Decision {
	detailed, complete := r.addDetails(show)
	var found []Episode
	for _, season := range detailed.Seasons {
		a := r.ask(Question{Topic: Season, Number: show.TMDB, Season: season})
		if complete = complete && a != nil; a == nil {
			continue
		}
		for _, p := range a.Episodes {
			if p.hasName(r.evidence.Title, c.Title) {
				found = append(found, p)
			}
		}
	}
	switch {
	case !complete || len(found) != 1 || r.evidence.Episode != nil || r.titleOnly:
		return uncertain("noPlace", show)
	case found[0].Season == 0 || r.evidence.Season != nil && *r.evidence.Season != found[0].Season:
		return uncertain("noPlace", show)
	case r.isOtherWork(show, c):
		return contradiction("otherSeries", show)
	}
	return r.certain(show.Candidate, found[0], why("nameAlone"))
}

// byEpisodeNumber decides by an episode's own IMDb, TVDB or TMDB number. The decision is
// the zero value if these find no episode.
func (r *resolver) byEpisodeNumber() Decision {
	e := r.evidence
	var questions []Question
	if isIMDB(e.IDs.IMDB) {
		questions = append(questions, Question{Topic: ByIMDB, Kind: viewing.Episode, Text: e.IDs.IMDB})
	}
	if e.IDs.TVDB > 0 {
		questions = append(questions, Question{Topic: ByTVDB, Kind: viewing.Episode, Number: e.IDs.TVDB})
	}
	var found []Episode
	alsoSeries := false // a series has the same TVDB number
	for _, q := range questions {
		a := r.ask(q)
		if a == nil {
			continue
		}
		if len(a.Episodes) > 1 || q.Topic == ByIMDB && len(a.Works) > 0 {
			return contradiction("ownSeveral")
		}
		found, alsoSeries = append(found, a.Episodes...), alsoSeries || len(a.worksOfKind(viewing.TV)) > 0
	}
	switch {
	case len(found) == 0 && e.IDs.TMDB > 0 && len(r.open) == 0:
		return r.byEpisodeTMDB()
	case len(found) == 0:
		return Decision{}
	}
	p := found[0]
	hasPlace := e.Season != nil && e.Episode != nil
	samePlace := hasPlace && *e.Season == p.Season && *e.Episode == p.Number
	// An episode with another place and another name is another episode. If a series has the
	// same number, place or name must be equal.
	if !samePlace && !p.hasName(e.Title, ClueOf(e.Media).Title) && (alsoSeries || hasPlace && normalizeName(e.Title) != "") {
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

// seriesOf returns the series of an episode, without a title.
func seriesOf(p Episode) Candidate { return Candidate{Type: viewing.TV, TMDB: p.Show} }

// checkSeries returns a contradiction if an episode found by its own number belongs to another
// series than the reported one, else the zero value.
func (r *resolver) checkSeries(p Episode, c Clue) Decision {
	show, d := r.decideWork(Clue{Kind: viewing.TV, IDs: c.IDs})
	switch {
	case show != nil && show.TMDB != p.Show:
		return contradiction("ownSeries", *show)
	case show == nil && len(d.Candidates) > 0: // the series' numbers contradict each other
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

// byEpisodeTMDB decides by the episode's TMDB number. TMDB cannot look up an episode by its
// number, so the number is checked in the list of the season, if series and season are known.
func (r *resolver) byEpisodeTMDB() Decision {
	p := Episode{TMDB: r.evidence.IDs.TMDB}
	c := ClueOf(r.evidence.Media)
	show, d := r.decideWork(c)
	if show == nil && c.IDs != (viewing.IDs{}) && len(d.Candidates) > 0 { // the series' numbers contradict each other
		return d
	}
	if show != nil && r.evidence.Season != nil {
		if a := r.ask(Question{Topic: Season, Number: show.TMDB, Season: *r.evidence.Season}); a != nil {
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

// byPlace decides by series, season and number. If the series' name contradicts the clue
// (contradicted), only the episode's name can confirm it.
func (r *resolver) byPlace(show Work, c Clue, contradicted bool) Decision {
	e, ownNumbering := r.evidence, r.evidence.Site.OwnCount()
	p := Episode{Show: show.TMDB, Season: *e.Season, Number: *e.Episode}
	if p.Season == 0 && c.IDs.TMDB != show.TMDB {
		return uncertain("special", show)
	}
	a := r.ask(Question{Topic: Season, Number: show.TMDB, Season: p.Season})
	otherNamed := false // another episode of the season has the reported name
	if a != nil {
		at := slices.IndexFunc(a.Episodes, func(other Episode) bool { return other.Number == p.Number })
		if at < 0 {
			return contradiction("noEpisode", show)
		}
		p = a.Episodes[at]
		otherNamed = slices.ContainsFunc(a.Episodes, func(other Episode) bool {
			return other.Number != p.Number && other.hasName(e.Title, c.Title)
		})
	}
	onlyTMDB := c.IDs.TMDB > 0 && c.IDs.TMDB == show.TMDB && c.IDs.IMDB == "" && c.IDs.TVDB == 0
	// A source with a TVDB number may use TVDB's numbering, and an episode with a generic name
	// may have several parts.
	asReported := !ownNumbering && c.IDs.TVDB == 0 && (normalizeName(e.Title) == "" || !isGenericName(e.Title, c.Title))
	switch named := p.hasName(e.Title, c.Title); {
	case p.Season == 0:
		return uncertain("special", show)
	case r.titleOnly && (!runtimeFits(p.Minutes, e.Runtime) || !named && (ownNumbering || otherNamed)):
		return uncertain("noYear", show)
	case r.titleOnly:
		return r.certain(show.Candidate, p, why("runtime"))
	case named:
		return r.certain(show.Candidate, p, why("name"))
	case contradicted:
		return contradiction("otherSeries", show)
	case onlyTMDB && !ownNumbering:
		return r.certain(show.Candidate, p, why("counts"))
	case a == nil && show.By != "" && asReported:
		return r.certain(show.Candidate, p, why("place"))
	default:
		return uncertain("noWitness", show)
	}
}
