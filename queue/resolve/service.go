package resolve

import (
	"time"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// WantedOf is what the service is asked for a question, the question itself first and
// then the years beside it, to see namesakes; none where it cannot answer. It names
// works by their IMDb number or title, and no episodes.
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

// ServiceAnswer is what the service's matches for [ServiceItems] say. It is whole only where
// the service is highly confident of the first; for a number it need not say so.
func ServiceAnswer(q Question, found []tracker.Match) (a Answer) {
	if len(found) == 0 || found[0].TMDB <= 0 {
		return a
	}
	a.Partial = found[0].Confidence != "high" && (q.Topic != ByIMDB || found[0].Confidence != "")
	for i, m := range found {
		w := Work{Candidate: Candidate{Type: viewing.MediaType(m.Type), TMDB: m.TMDB, Title: m.Title, Year: m.Year}, By: ByService}
		if i > 0 && normalizeName(m.Title) == "" {
			w.Title = q.Text // found by that title: it may be a namesake
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

// Again is how long to wait before asking once more about an item of which nothing
// certain was found, after it was asked so many times; ok is false when it is not to
// be asked any more.
func RetryWait(asked int) (wait time.Duration, ok bool) {
	const day = 24 * time.Hour
	waits := [...]time.Duration{day, 7 * day, 30 * day}
	if asked < 1 || asked > len(waits) {
		return 0, false
	}
	return waits[asked-1], true
}
