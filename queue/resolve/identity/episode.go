package identity

import (
	"slices"

	"github.com/filmspool/filmspool/queue/viewing"
)

// episode decides about an episode: by its own numbers, else by its series and
// its place there.
func (j *judge) episode(e Evidence) Decision {
	if own, d := j.byOwn(e); own != nil || d.Why != "" || len(j.open) > 0 {
		return d
	}
	show, d := j.byNumbers(viewing.TV, e.Show)
	switch {
	case show == nil:
		return d
	case e.Season == nil || e.Episode == nil:
		return held("its season and number are not known", *show)
	case *e.Season == 0:
		return held("specials are numbered by each list alone", *show)
	case *e.Season < 0 || *e.Episode < 1:
		return held("its number is none", *show)
	}
	if yearsApart(*show, e.Show) && j.contradicted(viewing.TV, *show, e.Show) {
		return held("name and year are those of another series", *show)
	}
	return j.byPlace(*show, e, j.contradicted(viewing.TV, *show, e.Show))
}

// byOwn decides by an episode's own number. The decision says nothing where it
// has none that leads to an episode.
func (j *judge) byOwn(e Evidence) (*Part, Decision) {
	var found []Part
	besides := false // TVDB's number is that of a series, too
	for _, q := range ownQuestions(e.Own) {
		a := j.ask(q)
		if a == nil {
			continue
		}
		if len(a.Episodes) > 1 || q.Ask == AskIMDB && len(a.Films)+len(a.Series) > 0 {
			return nil, held("its own number names several episodes or works")
		}
		found, besides = append(found, a.Episodes...), besides || len(a.Series) > 0
	}
	switch {
	case len(found) == 0 && e.Own.TMDB > 0 && len(j.open) == 0:
		return j.byOwnTMDB(e)
	case len(found) == 0:
		return nil, Decision{}
	}
	p := found[0]
	if d := e.disagrees(p, besides); d.Why != "" {
		return nil, d
	}
	for _, other := range found[1:] {
		if other.Show != p.Show || other.Season != p.Season || other.Number != p.Number {
			return nil, held("its numbers name different episodes")
		}
	}
	if d := j.elsewhere(p, e.Show); d.Why != "" {
		return nil, d
	}
	return &p, certain(p, "TMDB finds one episode with its own number")
}

// disagrees holds an episode whose own number leads to another place and
// another name than were told. Where the number is that of a series, too, place or
// name must agree.
func (e Evidence) disagrees(p Part, besides bool) Decision {
	placed := e.Season != nil && e.Episode != nil && *e.Season == p.Season && *e.Episode == p.Number
	named := p.named(e.Own.Title, e.Show.Title)
	told := e.Season != nil && e.Episode != nil && fold(e.Own.Title) != ""
	if !placed && !named && (told || besides) {
		return held("its own number is that of another episode")
	}
	return Decision{}
}

// elsewhere holds an episode whose own number is of another series than the one
// that was told.
func (j *judge) elsewhere(p Part, told Told) Decision {
	show, d := j.work(viewing.TV, Told{IDs: told.IDs})
	switch {
	case show != nil && show.TMDB != p.Show:
		return held("its own number is of another series", *show)
	case show == nil && len(d.Candidates) > 0: // its series' numbers disagree
		return d
	}
	if told.Title == "" {
		return Decision{}
	}
	if a := j.ask(Question{Ask: AskSeries, Number: p.Show}); a != nil && len(a.Series) == 1 && contradicts(a.Series[0], told) {
		return held("its own number is of another series", a.Series[0])
	}
	return Decision{}
}

// ownQuestions are what can be asked about an episode's own numbers.
func ownQuestions(own Told) (all []Question) {
	if imdbForm(own.IMDB) {
		all = append(all, Question{Ask: AskIMDB, Text: own.IMDB, Own: true})
	}
	if own.TVDB > 0 {
		all = append(all, Question{Ask: AskTVDB, Number: own.TVDB, Own: true})
	}
	return all
}

// byOwnTMDB takes the number that TMDB gave to the episode. Nothing of TMDB
// leads from it to series and place, so the season's list is asked where those
// are known.
func (j *judge) byOwnTMDB(e Evidence) (*Part, Decision) {
	p := Part{TMDB: e.Own.TMDB}
	show, d := j.work(viewing.TV, e.Show)
	if show == nil && e.Show.IDs != (viewing.IDs{}) && len(d.Candidates) > 0 { // its series' numbers disagree
		return nil, d
	}
	if show != nil && e.Season != nil {
		if a := j.ask(Question{Ask: AskSeason, Number: show.TMDB, Season: *e.Season}); a != nil {
			for _, other := range a.Episodes {
				if other.TMDB == p.TMDB {
					return &other, certain(other, "the season's list has its own number")
				}
			}
			if !slices.ContainsFunc(a.Episodes, func(other Part) bool { return other.TMDB == 0 }) {
				return nil, held("its own number is not in that season", *show)
			}
		}
	}
	return &p, certain(p, "its source told the episode's TMDB number")
}

// numbered is the episode of a season's list with that number.
func (a *Answer) numbered(n int) *Part {
	for _, p := range a.Episodes {
		if p.Number == n {
			return &p
		}
	}
	return nil
}

// byPlace decides by series, season and number. Where the series' name is that of
// another, the episode's own name alone can still show that it is right.
func (j *judge) byPlace(show Work, e Evidence, contradicted bool) Decision {
	p := &Part{Show: show.TMDB, Season: *e.Season, Number: *e.Episode}
	a := j.ask(Question{Ask: AskSeason, Number: show.TMDB, Season: p.Season})
	if a != nil {
		if p = a.numbered(p.Number); p == nil {
			return held("TMDB has no such episode in that season", show)
		}
	}
	switch asTMDB := e.Show.TMDB > 0 && e.Show.TMDB == show.TMDB && e.Show.IMDB == "" && e.Show.TVDB == 0; {
	case p.named(e.Own.Title, e.Show.Title):
		return certain(*p, "its name is that of the episode at its place")
	case contradicted:
		return held("name and year are those of another series", show)
	case asTMDB && !e.OwnCount:
		return certain(*p, "its source counts as TMDB does")
	case a == nil && show.By != "" && e.asTold():
		return certain(*p, show.By+" names its series, and the service is told season and number as its source tells them")
	default:
		return held("nothing shows that its source counts as TMDB does", show)
	}
}

// asTold reports whether season and number may go to the service as they were told.
// A source that knows TVDB's number may count as TVDB does.
// Behind a name that says nothing there may be two parts.
func (e Evidence) asTold() bool {
	return !e.OwnCount && e.Show.TVDB == 0 && (fold(e.Own.Title) == "" || !generic(e.Own.Title, e.Show.Title))
}

func certain(p Part, why string) Decision {
	it := Item{Kind: viewing.Episode, TMDB: p.Show, Season: p.Season, Number: p.Number, Own: p.TMDB}
	return Decision{Item: &it, Why: why}
}
