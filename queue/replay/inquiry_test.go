package replay

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// singles answers single questions with a status: first those about an item,
// then the empty one. It has no batch.
type singles struct {
	item, empty int
	knows       string // answered with 200 all the same
	asked       []tracker.Wanted
}

func (s *singles) ResolveBatch(context.Context, []tracker.Wanted) (map[int]tracker.Match, error) {
	return nil, statusError(404)
}

func (s *singles) Resolve(_ context.Context, w tracker.Wanted) (tracker.Match, error) {
	s.asked = append(s.asked, w)
	status := s.item
	switch {
	case w == (tracker.Wanted{}):
		status = s.empty
	case w.IMDB == s.knows:
		status = 200
	}
	if status != 200 {
		return tracker.Match{}, statusError(status)
	}
	return tracker.Match{TMDB: 603, Type: "movie"}, nil
}

// statusError is what the client makes of that status.
func statusError(status int) error {
	fate := tracker.Rejected
	if status >= 500 && status != 501 {
		fate = tracker.Later
	}
	return &tracker.ReadError{Verdict: tracker.Verdict{Fate: fate, Status: status}}
}

// TestSingleQuestion tells an unknown item from an endpoint that is not there.
func TestSingleQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		item, empty int
		known       bool // the endpoint has answered before
		found       int64
		fault       error
		asked       int
		has, noted  bool
	}{
		"known":                            {item: 200, found: 603, asked: 1, has: true, noted: true},
		"unknown, empty refused":           {item: 404, empty: 400, asked: 2, has: true, noted: true},
		"unknown, empty cannot be read":    {item: 404, empty: 422, asked: 2, has: true, noted: true},
		"unknown, empty answered":          {item: 404, empty: 200, asked: 2, has: true, noted: true}, // and that is not about the item
		"neither there":                    {item: 404, empty: 404, fault: fmt.Errorf("%w: %w", errUnclear, statusError(404)), asked: 2},
		"then forbidden":                   {item: 404, empty: 403, fault: errNoResolver, asked: 2, noted: true},
		"then trouble":                     {item: 404, empty: 500, fault: statusError(500), asked: 2},
		"unknown, the endpoint is known":   {item: 404, empty: 404, known: true, asked: 1, has: true, noted: true},
		"refused":                          {item: 400, asked: 1, has: true, noted: true},
		"no method":                        {item: 405, fault: errNoResolver, asked: 1, noted: true},
		"no method, the endpoint is known": {item: 405, known: true, fault: errNoResolver, asked: 1, noted: true},
		"trouble":                          {item: 503, fault: statusError(503), asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &singles{item: c.item, empty: c.empty}
				q := inquiry{service: s, ways: &ways{}}
				if c.known {
					q.ways.note(supportResolve, nil)
				}
				m, err := q.single(t.Context(), tracker.Wanted{IMDB: "tt0133093"}, true)
				if m.TMDB != c.found || (err == nil) != (c.fault == nil) || err != nil && err.Error() != c.fault.Error() {
					t.Errorf("%+v, %v; want %d, %v", m, err, c.found, c.fault)
				}
				if len(s.asked) != c.asked {
					t.Errorf("asked %+v, want %d questions", s.asked, c.asked)
				}
				if got, noted := q.ways.account.Support[supportResolve]; got.Has != c.has || noted != c.noted {
					t.Errorf("has %v, noted %v; want %v, %v", got.Has, noted, c.has, c.noted)
				}
			})
		})
	}
}

// A service that answers 404 to an empty question, too, is asked about three items
// before that means that it resolves nothing. What it did not know is then not asked.
func TestServiceThatKnowsNothingYet(t *testing.T) {
	for name, c := range map[string]struct {
		knows     string
		wanted    []string
		requests  int
		found     int
		answered  int
		fault     error
		has, told bool
	}{
		"one, unknown":       {wanted: []string{"tt1"}, requests: 2, fault: errNoResolver, told: true},
		"the second known":   {knows: "tt2", wanted: []string{"tt1", "tt2", "tt3"}, requests: 4, found: 1, answered: 3, has: true, told: true},
		"the third known":    {knows: "tt3", wanted: []string{"tt1", "tt2", "tt3"}, requests: 4, found: 2, answered: 3, has: true, told: true},
		"the fourth, unseen": {knows: "tt4", wanted: []string{"tt1", "tt2", "tt3", "tt4"}, requests: 4, fault: errNoResolver, told: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &singles{item: 404, empty: 404, knows: c.knows}
				q := inquiry{service: s, ways: &ways{}}
				var wanted []resolve.Question
				for _, id := range c.wanted {
					wanted = append(wanted, resolve.Question{IMDB: id})
				}
				found, asked, err := q.oneByOne(t.Context(), wanted)
				if asked != c.answered || !errors.Is(err, c.fault) || len(s.asked) != c.requests || (c.knows != "" && err == nil) != (found[c.found].TMDB == 603) {
					t.Errorf("found %v, %d answered, %v; asked %v", found, asked, err, s.asked)
				}
				if got, told := q.ways.account.Support[supportResolve]; got.Has != c.has || told != c.told {
					t.Errorf("has %v, noted %v", got.Has, told)
				}
			})
		})
	}
}

// doubtful is a service whose second answer misses what its first one shows.
type doubtful struct {
	Reader
	asked int
	miss  int // this answer shows nothing as watched
}

func (s *doubtful) MediaStatus(_ context.Context, items []viewing.Media) (map[string]tracker.ItemStatus, error) {
	s.asked++
	all := map[string]tracker.ItemStatus{}
	for _, m := range items {
		watched := m.IDs.TMDB == 603 && s.asked != s.miss
		all[m.Key()] = tracker.ItemStatus{Watched: &watched}
	}
	return all, nil
}

// An item that is known to be there proves something only beside what the same
// answer shows. One answer that misses it takes its word from all.
func TestAnItemBesideCountsInEveryAnswer(t *testing.T) {
	known := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	var of []queue.Doubt
	for n := range int64(60) {
		of = append(of, queue.Doubt{Entry: queue.Entry{ID: n, Media: &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: n + 1}}}})
	}
	for miss, want := range map[int]bool{0: true, 1: false, 2: false} {
		s := &doubtful{miss: miss}
		l := readBack{Loop: &Loop{}, reader: s, ways: &ways{}}
		all, readable := l.statuses(t.Context(), of, []viewing.Media{known})
		if _, counts := all[known.Key()]; counts != want || !readable || s.asked != 2 || len(all) < len(of) {
			t.Errorf("answer %d misses it: counts %v, %d of %d after %d requests", miss, counts, len(all), len(of), s.asked)
		}
	}
}

// A stop ends the wait before an empty question, and nothing is taken for known.
func TestSingleQuestionIsCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &singles{item: 404, empty: 400}
	q := inquiry{service: s, ways: &ways{}}
	if _, err := q.single(ctx, tracker.Wanted{IMDB: "tt0133093"}, true); !errors.Is(err, context.Canceled) || len(s.asked) != 1 {
		t.Errorf("%v, asked %+v", err, s.asked)
	}
}

// dueNow is a place of lookups where one is due.
type (
	keepsLookups = Lookups
	dueNow       struct{ keepsLookups }
)

func (dueNow) NextLookup(context.Context, string) (time.Time, bool, error) {
	return time.Now(), true, nil
}

// noAccounts is an outbox whose accounts cannot be read.
type noAccounts struct{ Outbox }

func (noAccounts) Account(context.Context, string) (account.Row, error) {
	return account.Row{}, errDisk
}

// Where what is known of the service cannot be read, nobody is asked.
func TestInquiryWithoutTheAccount(t *testing.T) {
	s := &singles{}
	q := inquiry{Loop: &Loop{outbox: noAccounts{}, lookups: dueNow{}}, service: s}
	if next, err := q.do(t.Context()); !errors.Is(err, errDisk) || !next.IsZero() || len(s.asked) != 0 {
		t.Errorf("next %s, %v, asked %+v", next, err, s.asked)
	}
}
