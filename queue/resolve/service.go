package resolve

import (
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ServiceItems returns the items to request from the service for a question: the question
// itself, then the years before and after, to find works of the same name. It returns none
// for questions the service cannot answer: it resolves only films and series by IMDb number
// or title.
func ServiceItems(q Question) []tracker.ResolveItem {
	switch {
	case q.Topic == ByIMDB && q.Kind != viewing.Episode:
		return []tracker.ResolveItem{{IMDB: q.Text}}
	case q.Topic != ByTitle:
		return nil
	}
	w := tracker.ResolveItem{Title: q.Text, Type: q.Kind, Year: q.Year}
	if w.Year == 0 {
		return []tracker.ResolveItem{w}
	}
	before, after := w, w
	before.Year, after.Year = w.Year-1, w.Year+1
	return []tracker.ResolveItem{w, before, after}
}

// ServiceAnswer turns the service's matches for [ServiceItems] into an answer. It is partial
// unless the service reports high confidence for the first match; for an IMDb number the
// confidence may be missing.
func ServiceAnswer(q Question, found []tracker.Match) (a Answer) {
	if len(found) == 0 || found[0].TMDB <= 0 {
		return a
	}
	a.Partial = found[0].Confidence != "high" && (q.Topic != ByIMDB || found[0].Confidence != "")
	for i, m := range found {
		w := Work{Candidate: Candidate{Type: viewing.MediaType(m.Type), TMDB: m.TMDB, Title: m.Title, Year: m.Year}, By: ByService}
		if i > 0 && normalizeName(m.Title) == "" {
			w.Title = q.Text // without a title: found by this one, so it may be a work of the same name
		}
		switch {
		case m.TMDB <= 0:
		case w.Type == viewing.Movie || w.Type == viewing.TV:
			a.Works = addWork(a.Works, w)
		default:
			a.Episodes = append(a.Episodes, Episode{TMDB: m.TMDB})
		}
	}
	return a
}

// RetryWait returns how long to wait before another look-up of an item without a certain
// result, after the given number of look-ups; ok is false if there are no more.
func RetryWait(asked int) (wait time.Duration, ok bool) {
	const day = 24 * time.Hour
	waits := [...]time.Duration{day, 7 * day, 30 * day}
	if asked < 1 || asked > len(waits) {
		return 0, false
	}
	return waits[asked-1], true
}
