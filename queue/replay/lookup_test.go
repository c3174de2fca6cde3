package replay

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	batchEndpoint  = "POST /media/resolve/batch"
	singleEndpoint = "POST /media/resolve"
	day            = 24 * time.Hour
)

// unidentified returns a viewing without an identifier of the service.
func unidentified(m viewing.Media) viewing.Event {
	v := filmAgo(0, time.Hour)
	v.Media = []viewing.Media{m}
	return v
}

func filmBy(imdb, title string, year int) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: imdb}, Title: title, Year: year}
}

func episodeBy(imdb string, season, number int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, IDs: viewing.IDs{IMDB: "tt9999999"}, Show: &viewing.Show{IDs: viewing.IDs{IMDB: imdb}},
		Season: &season, Episode: &number,
	}
}

// expectStep fails unless a step of an entry contains a text.
func (b *fixture) expectStep(id int64, text string) {
	b.Helper()
	if steps := b.stepTexts(id); !strings.Contains(strings.Join(steps, "\n"), text) {
		b.Errorf("entry %d has no step %q: %q", id, text, steps)
	}
}

// expectCandidates fails unless an entry has the candidates with these TMDB numbers.
func (b *fixture) expectCandidates(id int64, want ...int64) {
	b.Helper()
	all, err := b.store.Candidates(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	var got []int64
	for _, c := range all {
		got = append(got, c.TMDB)
	}
	if !slices.Equal(got, want) {
		b.Errorf("entry %d has candidates %d, want %d", id, got, want)
	}
}

// expectEntry fails unless an entry has a state, a reason and an item.
func (b *fixture) expectEntry(id int64, state viewing.State, reason, key string) {
	b.Helper()
	if e := b.entry(id); e.State != state || e.Reason != reason || e.Media.Key() != key {
		b.Errorf("entry %d is %s (%s), %s; want %s (%s), %s", id, e.State, e.Reason, e.Media.Key(), state, reason, key)
	}
}

func (b *fixture) expectLookups(batches, singles int) {
	b.Helper()
	if n, m := b.requestCount(batchEndpoint), b.requestCount(singleEndpoint); n != batches || m != singles {
		b.Errorf("%d batch requests, %d single requests; want %d, %d", n, m, batches, singles)
	}
}

func TestUnidentifiedEntriesAreResolvedAndDelivered(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.advance(time.Second)
		series := viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{{Type: viewing.TV, Title: "the wire", Year: 2002}}}
		b.commit(
			unidentified(filmBy("tt0133093", "Matrix", 0)),
			unidentified(episodeBy("tt0903747", 1, 2)), unidentified(episodeBy("tt0903747", 1, 3)), // one question for both
			unidentified(filmBy("tt0000001", "Dune", 2021)), // the IMDb number is unknown, the title is known
			series, unidentified(filmBy("tt0000001", "Nobody Knows", 2021)),
		)
		b.advance(time.Second)
		b.expectLookups(0, 0) // waits for lookUpDelay
		b.advance(4 * time.Second)
		for id, key := range map[int64]string{1: "movie:603", 2: "episode:1396:1:2", 3: "episode:1396:1:3", 4: "movie:438631", 5: "tv:1438"} {
			b.expectEntry(id, viewing.StateDelivered, "", key)
		}
		b.expectEntry(6, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.expectLookups(2, 0) // numbers and the series, then titles; each with the years before and after
		b.expectStep(1, "resolve.askedService: resolve.certain: why.number number=IMDb")
		b.expectStep(4, "why.title")
		b.expectStep(6, "why.noTitle")
		records, err := b.sandbox.Records(b.Context())
		if err != nil || len(records.History) != 4 || len(records.Watchlist) != 1 {
			b.Fatalf("%+v, %v", records, err)
		}
		if h := records.History[1]; h.TVShowID != 1396 || h.ID != 0 {
			b.Errorf("recorded %+v", h)
		}
		b.advance(12 * time.Hour)
		b.expectLookups(2, 0) // numbers and the series, then titles; each with the years before and after
	})
}

func TestUncertainResultsBecomeCandidates(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		unsure := filmBy("tt0133093", "The Matrix", 1999)
		unsure.Unsure = true
		b.commit(unidentified(filmBy("", "Dune", 0)), unidentified(filmBy("tt0903747", "Breaking", 0)), unidentified(unsure))
		b.advance(5 * time.Second)
		for id := range int64(3) {
			b.expectEntry(id+1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		}
		b.expectStep(1, "resolve.may may=\"Dune\" (1984; film tmdb 841): why.noYear")
		b.expectStep(2, "why.otherKind number=IMDb")
		b.expectStep(3, "resolve.may may=\"The Matrix\" (1999; film tmdb 603): why.unsure")
		b.expectCandidates(1, 841)
		b.expectCandidates(2)
		b.expectCandidates(3, 603)
		if len(b.recordsByFilm()) != 0 {
			b.Errorf("recorded %v", b.recordsByFilm())
		}
		media := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
		if _, err := b.store.Edit(b.Context(), 3, entry.Edit{Media: &media}); err != nil {
			b.Fatal(err)
		}
		b.advance(time.Second)
		b.expectEntry(3, viewing.StateDelivered, "", "movie:603")
	})
}

func TestUnknownItemIsLookedUpFourTimes(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.advance(time.Second)
		b.commit(unidentified(filmBy("tt0000001", "", 0)))
		b.advance(lookUpDelay + time.Second)
		b.expectLookups(1, 0)
		for i, wait := range []time.Duration{day, 7 * day, 30 * day} {
			b.advance(wait - 10*time.Second)
			b.expectLookups(i+1, 0)
			b.advance(10 * time.Second)
			b.expectLookups(i+2, 0)
		}
		b.restart()
		b.advance(200 * day)
		b.expectLookups(4, 0)
	})
}

func TestMissingResolveEndpointIsRequestedOnceADay(t *testing.T) {
	withSandbox(t, true, nil, func(b *fixture) {
		b.commit(unidentified(filmBy("tt0133093", "", 0)), unidentified(filmBy("tt0234215", "", 0)))
		for range 8 {
			b.advance(8 * time.Hour)
			b.commit(filmAgo(1, time.Minute)) // other entries change nothing
		}
		b.expectLookups(3, 6)
		b.expectEntry(1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		a, err := b.store.Account(b.Context(), "default")
		if err != nil {
			b.Fatal(err)
		}
		if can, known := ResolveSupport(a); can || !known || a.Pause.Reason != "" {
			b.Errorf("account %+v", a)
		}
		// A login causes a request at once.
		if err := b.store.UpdateAccount(b.Context(), "default", func(a *account.Row) { a.SignIn("") }); err != nil {
			b.Fatal(err)
		}
		b.loop.SetService(b.client)
		b.advance(5 * time.Second)
		b.expectLookups(4, 8)
	})
}

func TestItemsAreResolvedOneByOneWithoutBatch(t *testing.T) {
	for _, fault := range []string{"status:404", "status:400"} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.armFault(batchEndpoint, fault, 1000)
				b.commit(
					unidentified(filmBy("tt0000001", "", 0)), unidentified(filmBy("tt0000002", "", 0)),
					unidentified(filmBy("tt0133093", "", 0)), unidentified(filmBy("tt0000003", "", 0)), unidentified(filmBy("tt0234215", "", 0)),
				)
				b.advance(15 * time.Second)
				b.expectLookups(1, 5)
				b.expectEntry(3, viewing.StateDelivered, "", "movie:603")
				b.expectEntry(5, viewing.StateDelivered, "", "movie:604")
				b.expectStep(1, "why.noNumber")
				b.advance(12 * time.Hour)
				b.expectLookups(1, 5)
			})
		})
	}
}

// An endpoint that exists but fails does not stop other entries.
func TestFailingResolveEndpointBlocksNoEntry(t *testing.T) {
	for _, fault := range []string{"status:500", "html", "drop-before"} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.armFault(batchEndpoint, fault, 1000)
				b.commit(unidentified(filmBy("tt0133093", "", 0)))
				for film := range int64(6) {
					b.advance(time.Hour)
					b.commit(filmAgo(film+2, time.Minute))
					b.advance(time.Second)
					if c := b.counts(); c.Delivered != film+1 {
						b.Fatalf("counts %+v", c)
					}
				}
				if h := b.loop.Health(); h.State != account.OK {
					b.Errorf("health %+v", h)
				}
				if n := b.requestCount(batchEndpoint); n < 6 || n > 20 {
					b.Errorf("asked %d times in six hours", n)
				}
				b.expectLookups(b.requestCount(batchEndpoint), 0)
			})
		})
	}
}

func TestNoLookupsWhilePausedOrWithoutKey(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.advance(time.Second)
		b.pause(account.PausedUser)
		b.advance(time.Second)
		b.commit(unidentified(filmBy("tt0133093", "", 0)))
		b.advance(day)
		b.expectLookups(0, 0)
		b.loop.SetService(nil)
		b.pause("")
		b.advance(day)
		b.expectLookups(0, 0)
		b.loop.SetService(b.client)
		b.advance(5 * time.Second)
		b.expectEntry(1, viewing.StateDelivered, "", "movie:603")
	})
}

// A Retry-After applies to the whole account.
func TestRetryAfterOfALookupDelaysEntries(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.armFault(batchEndpoint, "retry-after:600", 1)
		b.commit(unidentified(filmBy("tt0133093", "", 0)))
		b.advance(5 * time.Second)
		b.expectLookups(1, 0)
		b.commit(filmAgo(5, time.Minute))
		b.advance(9 * time.Minute)
		if c := b.counts(); c.Delivered != 0 || b.requestCount(batchEndpoint) != 1 {
			b.Errorf("counts %+v, asked %d times", c, b.requestCount(batchEndpoint))
		}
		b.advance(3 * time.Minute)
		if c := b.counts(); c.Delivered != 2 {
			b.Errorf("counts %+v", c)
		}
	})
}
