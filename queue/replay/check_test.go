package replay

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fakeTMDB returns the answers it has, and empty ones for other questions. It counts the
// requests, except those for details, which follow others.
type fakeTMDB struct {
	answers map[resolve.Question]resolve.Answer

	mu       sync.Mutex
	err      error
	requests int
}

func (m *fakeTMDB) requestCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

// setError makes all requests fail; nil ends that.
func (m *fakeTMDB) setError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// titleQuestion returns the question for a film by its title.
func titleQuestion(title string, year int) resolve.Question {
	return resolve.Question{Topic: resolve.ByTitle, Kind: viewing.Movie, Text: title, Year: year}
}

func filmAnswer(id int64, title string, year int) resolve.Answer {
	return resolve.Answer{Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id, Title: title, Year: year}}}}
}

func (m *fakeTMDB) Fetch(_ context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wanted[0].Topic != resolve.Details {
		m.requests++
	}
	found := map[resolve.Question]*resolve.Answer{}
	for _, q := range wanted {
		if a := m.answers[q]; m.err == nil {
			found[q] = &a
		}
	}
	return found, m.err
}

func (m *fakeTMDB) enable(options *Options) {
	p := &resolve.Provider{Name: "TMDB", Fetcher: m, Log: slog.New(slog.DiscardHandler)}
	options.Providers = func() resolve.Chain { return resolve.Chain{p} }
}

func newFakeTMDB() *fakeTMDB {
	return &fakeTMDB{answers: map[resolve.Question]resolve.Answer{
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 438631}: filmAnswer(438631, "Dune", 2021),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 841}:    filmAnswer(841, "Dune", 1984),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 903}:    filmAnswer(903, "Cool Hand Luke", 1967),
		{Topic: resolve.ByIMDB, Text: "tt0087182"}:                    filmAnswer(841, "Dune", 1984),
		{Topic: resolve.Details, Kind: viewing.TV, Number: 37854}:     {Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: 37854, Title: "One Piece", Year: 1999}}}},
		{Topic: resolve.Season, Number: 37854, Season: 1}:             {Episodes: []resolve.Episode{{Show: 37854, Season: 1, Number: 1, Name: "Romance Dawn"}}},
		{Topic: resolve.Details, Kind: viewing.TV, Number: 2207}:      {Works: []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.TV, TMDB: 2207, Title: "Fawlty Towers", Year: 1975}}}},
		{Topic: resolve.Season, Number: 2207, Season: 1}:              {Episodes: []resolve.Episode{{Show: 2207, Season: 1, Number: 1, Name: "A Touch of Class"}}},
	}}
}

// With TMDB, a source's number is checked once before it is sent. A contradicted entry is
// held until the user releases it.
func TestContradictedSourceNumbersAreHeld(t *testing.T) {
	film := func(tmdb int64, imdb, title string, year int) viewing.Media {
		m := filmBy(imdb, title, year)
		m.IDs.TMDB = tmdb
		return m
	}
	place := func(show int64, title string, season, number int) viewing.Media {
		return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show, TVDB: 5}, Title: title}, Season: &season, Episode: &number}
	}
	all := []struct {
		m   viewing.Media
		why string // "" is delivered
	}{
		{film(438631, "", "Dune", 2021), ""},
		{place(37854, "One Piece", 1, 1), ""}, // neither confirmed nor contradicted
		{film(438631, "tt0087182", "Dune", 1984), "why.differ"},
		{film(903, "", "Black Books", 2000), "why.otherWork"},
		{place(2207, "16 Blocks", 1, 1), "why.otherSeries"},
		{place(37854, "One Piece", 1, 500), "why.noEpisode"},
	}
	m := newFakeTMDB()
	withSandbox(t, true, m.enable, func(b *fixture) {
		for _, c := range all {
			b.commit(unidentified(c.m))
		}
		b.advance(time.Minute)
		for i, c := range all {
			id := int64(i + 1)
			if c.why == "" {
				b.expectEntry(id, viewing.StateDelivered, "", c.m.Key())
				continue
			}
			b.expectEntry(id, viewing.StateHeld, viewing.ReasonContradicted, c.m.Key())
			if steps := strings.Join(b.stepTexts(id), "\n"); !strings.Contains(steps, c.why) {
				b.Errorf("entry %d has steps %q, want %q", id, steps, c.why)
			}
		}
		asked := m.requestCount()
		if _, err := b.store.Operate(b.Context(), entry.Order{Verb: entry.VerbRelease, Selection: entry.Selection{IDs: []int64{4}}}); err != nil {
			b.Fatal(err)
		}
		b.advance(time.Minute)
		b.expectEntry(4, viewing.StateDelivered, "", "movie:903")
		if m.requestCount() != asked {
			b.Errorf("a released entry was checked again")
		}
	})
}

// If TMDB is unavailable or disabled, a source's number is sent unchecked.
func TestSourceNumbersAreSentUncheckedWithoutTMDB(t *testing.T) {
	m := newFakeTMDB()
	m.setError(errors.New("away"))
	for name, options := range map[string]func(*Options){"away": m.enable, "off": nil} {
		t.Run(name, func(t *testing.T) {
			withSandbox(t, true, options, func(b *fixture) {
				film := filmBy("", "Black Books", 2000)
				film.IDs.TMDB = 903
				b.commit(unidentified(film))
				b.advance(time.Minute)
				b.expectEntry(1, viewing.StateDelivered, "", "movie:903")
			})
		})
	}
}

// Questions that the service cannot answer go to the other providers. Certain results are
// sent, the others are held with candidates.
func TestOtherProvidersAreAskedAfterTheService(t *testing.T) {
	m := &fakeTMDB{answers: map[resolve.Question]resolve.Answer{
		titleQuestion("Dune", 2021): filmAnswer(438631, "Dune", 2021), titleQuestion("Nobody Knows", 2004): filmAnswer(11, "Nobody Knows", 2004), titleQuestion("Perhaps", 2001): filmAnswer(12, "Like It", 2001),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 438631}: filmAnswer(438631, "Dune", 2021),
		{Topic: resolve.Details, Kind: viewing.Movie, Number: 11}:     filmAnswer(11, "Nobody Knows", 2004),
	}}
	withSandbox(t, false, m.enable, func(b *fixture) {
		b.advance(time.Second)
		b.commit(
			unidentified(filmBy("", "Dune", 2021)), // the service knows it
			unidentified(filmBy("", "Nobody Knows", 2004)), unidentified(filmBy("", "Perhaps", 2001)), unidentified(filmBy("", "Not At All", 2001)),
		)
		b.advance(5 * time.Second)
		b.expectEntry(1, viewing.StateDelivered, "", "movie:438631")
		b.expectEntry(2, viewing.StateDelivered, "", "movie:11")
		b.expectEntry(3, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.expectEntry(4, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.expectStep(2, "resolve.asked by=TMDB: resolve.certain: why.title")
		b.expectStep(3, `resolve.may may="Like It" (2001; film tmdb 12)`)
		b.expectStep(4, "resolve.asked by=TMDB: resolve.uncertain: why.noTitle")
		b.expectCandidates(3, 12)
		b.expectCandidates(4)
		if got := m.requestCount(); got != 1 {
			b.Errorf("asked %d times", got)
		}
		b.advance(day + time.Minute)
		if got := m.requestCount(); got != 2 {
			b.Errorf("a day later: asked %d times", got)
		}
	})
}

// A look-up with an unavailable provider is not counted, and repeated after an hour.
func TestUnavailableProvidersAreAskedAgainEveryHour(t *testing.T) {
	m := &fakeTMDB{answers: map[resolve.Question]resolve.Answer{titleQuestion("Alpha", 2004): filmAnswer(11, "Alpha", 2004)}, err: errors.New("away")}
	withSandbox(t, false, m.enable, func(b *fixture) {
		b.advance(time.Second)
		b.commit(unidentified(filmBy("", "Alpha", 2004)))
		b.advance(time.Minute)
		b.expectEntry(1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.advance(10 * day)
		if got := m.requestCount(); got < 200 || got > 250 {
			b.Errorf("asked %d times in ten days", got)
		}
		m.setError(nil)
		b.advance(lookUpRetryMax + time.Minute)
		b.expectEntry(1, viewing.StateDelivered, "", "movie:11")
	})
}
