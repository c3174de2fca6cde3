package resolve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

type (
	question = Question
	answer   = Answer
	work     = Work
)

// fakeProvider returns the answers it knows, and empty ones for other questions of the
// topics in may.
type fakeProvider struct {
	answers  map[question]answer
	topics   []Topic
	err      error
	hangs    bool
	requests []question
}

func (f *fakeProvider) Fetch(ctx context.Context, wanted []question) (map[question]*answer, error) {
	f.requests = append(f.requests, wanted...)
	if f.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	found := map[question]*answer{}
	for _, q := range wanted {
		if a := f.answers[q]; slices.Contains(f.topics, q.Topic) && f.err == nil {
			found[q] = &a
		} else if f.err == nil {
			found[q] = nil
		}
	}
	return found, f.err
}

// newChain returns a chain of Wikidata, which answers only numbers, and TMDB.
func newChain(wikidata, tmdb *fakeProvider, cache *Cache) Chain {
	wikidata.topics = []Topic{ByIMDB, ByTVDB}
	tmdb.topics = []Topic{ByIMDB, ByTVDB, Details, Season, ByTitle}
	log := slog.New(slog.DiscardHandler)
	return Chain{&Provider{Name: "Wikidata", Fetcher: wikidata, Log: log, Cache: cache}, &Provider{Name: "TMDB", Fetcher: tmdb, Log: log, Cache: cache}}
}

func workBy(id int64, by string) work {
	return work{Candidate: Candidate{Type: viewing.Movie, TMDB: id}, By: by}
}

func outcome(d Decision) string {
	switch {
	case len(d.Unanswered) > 0:
		return "open"
	case d.Item == nil:
		var names []string
		for _, w := range d.Candidates {
			names = append(names, fmt.Sprint(w.Type, " ", w.TMDB))
		}
		return fmt.Sprintf("held %v by %s", names, d.By)
	default:
		return fmt.Sprintf("%s %d by %s", d.Item.Type, d.Work.TMDB, d.By)
	}
}

// The answers of several providers are combined by the table of the package comment, and
// each provider gets only the questions that are still open.
func TestProvidersGetOnlyOpenQuestions(t *testing.T) {
	number := question{Topic: ByIMDB, Text: "tt0000001"}
	one := answer{Works: []work{workBy(1, "Wikidata")}}
	for name, c := range map[string]struct {
		wikidata, tmdb answer
		want           string
		asked          bool // TMDB
	}{
		"one":                   {one, answer{Works: []work{workBy(2, "")}}, "movie 1 by Wikidata", false},
		"nothing, then one":     {answer{}, answer{Works: []work{workBy(2, "")}}, "movie 2 by TMDB", true},
		"nothing, then nothing": {answer{}, answer{}, "held [] by TMDB", true},
		"several, then one":     {answer{Works: []work{workBy(1, "Wikidata"), workBy(2, "Wikidata")}, Partial: true}, answer{Works: []work{workBy(2, "")}}, "movie 2 by TMDB", true},
		"partial, then one":     {answer{Works: []work{workBy(1, "Wikidata")}, Partial: true}, answer{Works: []work{workBy(2, "")}}, "movie 2 by TMDB", true},
		"several, then nothing": {answer{Works: []work{workBy(1, "Wikidata"), workBy(2, "Wikidata")}, Partial: true}, answer{}, "held [movie 1 movie 2] by Wikidata", true},
	} {
		t.Run(name, func(t *testing.T) {
			w, m := &fakeProvider{answers: map[question]answer{number: c.wikidata}}, &fakeProvider{answers: map[question]answer{number: c.tmdb}}
			d, err := newChain(w, m, newCache(t)).Decide(t.Context(), []Evidence{{Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: number.Text}}}})
			if got := outcome(d[0]); err != nil || got != c.want || (len(m.requests) > 0) != c.asked || len(w.requests) != 1 {
				t.Errorf("%s (%v), %v; asked %v, then %v", got, d[0].Why, err, w.requests, m.requests)
			}
		})
	}
}

// A decision from cached answers alone is marked as such.
func TestDecisionReportsFromCache(t *testing.T) {
	one, two := question{Topic: ByIMDB, Text: "tt0000001"}, question{Topic: ByTitle, Kind: viewing.Movie, Text: "Alpha", Year: 1999}
	first := Evidence{Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: one.Text}}}
	more := Evidence{Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: one.Text}, Title: "Alpha", Year: 1999}}
	m := &fakeProvider{answers: map[question]answer{two: {Works: []work{{Candidate: Candidate{Type: viewing.Movie, TMDB: 2, Title: "Alpha", Year: 1999}}}}}}
	c := newChain(&fakeProvider{}, m, newCache(t))
	for n, step := range []struct {
		e    Evidence
		want string
		kept bool
	}{
		{first, "held [] by TMDB", false},
		{first, "held [] by TMDB", true},
		{more, "movie 2 by TMDB", false}, // one of two answers is new
		{more, "movie 2 by TMDB", true},
		{Evidence{Media: viewing.Media{Type: viewing.Movie}}, "held [] by ", false},
	} {
		if d, err := c.Decide(t.Context(), []Evidence{step.e}); err != nil || outcome(d[0]) != step.want || d[0].FromCache != step.kept {
			t.Errorf("step %d: %s, kept %v, %v", n, outcome(d[0]), d[0].FromCache, err)
		}
	}
}

// A provider that hangs leaves time for the others.
func TestHangingProviderLeavesTimeForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		number := question{Topic: ByIMDB, Text: "tt0000001"}
		evidence := []Evidence{{Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: number.Text}}}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c := newChain(&fakeProvider{hangs: true}, &fakeProvider{answers: map[question]answer{number: {Works: []work{workBy(2, "")}}}}, nil)
		if d, err := c.Decide(ctx, evidence); err != nil || outcome(d[0]) != "movie 2 by TMDB" || ctx.Err() != nil {
			t.Errorf("%s, %v", outcome(d[0]), err)
		}
	})
}

// A provider that failed is not asked for a while, or for its Retry-After; one that refuses
// access, not for a day. A canceled request is not its fault.
func TestFailedProviderIsNotAskedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeProvider{topics: []Topic{ByIMDB}}
		c := Chain{&Provider{Name: "TMDB", Fetcher: f, Log: slog.New(slog.DiscardHandler)}}
		evidence := []Evidence{{Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0000001"}}}}
		later := func(wait time.Duration) error {
			return &UnavailableError{Provider: "TMDB", Why: viewing.Say("asked.unreached"), Wait: wait}
		}
		refused := fmt.Errorf("refused: %w", ErrRefused)
		for n, step := range []struct {
			err  error
			wait time.Duration
		}{
			{later(0), retryDelay},
			{later(3 * time.Hour), 3 * time.Hour},
			{later(time.Second), retryDelay},
			{errors.New("an unexpected error"), retryDelay},
			{refused, 24 * time.Hour},
		} {
			f.err, f.requests = step.err, nil
			for range 2 {
				if d, err := c.Decide(t.Context(), evidence); !errors.Is(err, step.err) || outcome(d[0]) != "open" || c[0].LastError() != step.err {
					t.Errorf("step %d: %s, %v", n, outcome(d[0]), err)
				}
			}
			time.Sleep(step.wait - time.Second)
			if _, err := c.Decide(t.Context(), evidence); err == nil || len(f.requests) != 1 {
				t.Errorf("step %d: asked %d times within %s", n, len(f.requests), step.wait)
			}
			time.Sleep(time.Second)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f.err = context.Canceled
		if _, err := c.Decide(ctx, evidence); err == nil || c[0].LastError() != refused {
			t.Errorf("canceled: %v, trouble %v", err, c[0].LastError())
		}
		f.err = nil
		if d, err := c.Decide(t.Context(), evidence); err != nil || c[0].LastError() != nil || !strings.HasPrefix(outcome(d[0]), "held") {
			t.Errorf("well again: %s, %v", outcome(d[0]), err)
		}
	})
}
