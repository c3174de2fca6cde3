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
	batchAsked  = "POST /media/resolve/batch"
	singleAsked = "POST /media/resolve"
	day         = 24 * time.Hour
)

// nameless is a viewing of something without an identifier of the service's.
func nameless(m viewing.Media) viewing.Event {
	v := ago(0, time.Hour)
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

// explained checks that a step of an entry says so.
func (b *bed) explained(id int64, says string) {
	b.Helper()
	if said := b.said(id); !strings.Contains(strings.Join(said, "\n"), says) {
		b.Errorf("entry %d does not say %q: %q", id, says, said)
	}
}

// mayBe checks what an entry is kept to be, by the numbers of TMDB.
func (b *bed) mayBe(id int64, want ...int64) {
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
		b.Errorf("entry %d may be %d, want %d", id, got, want)
	}
}

// stands checks where an entry stands, and what it is of.
func (b *bed) stands(id int64, state viewing.State, reason, key string) {
	b.Helper()
	if e := b.entry(id); e.State != state || e.Reason != reason || e.Media.Key() != key {
		b.Errorf("entry %d is %s (%s), %s; want %s (%s), %s", id, e.State, e.Reason, e.Media.Key(), state, reason, key)
	}
}

func (b *bed) askedTimes(batches, singles int) {
	b.Helper()
	if n, m := b.askedFor(batchAsked), b.askedFor(singleAsked); n != batches || m != singles {
		b.Errorf("asked %d times for many, %d times for one; want %d, %d", n, m, batches, singles)
	}
}

func TestNamelessEntriesAreResolvedAndDelivered(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.pass(time.Second)
		wish := viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{{Type: viewing.TV, Title: "the wire", Year: 2002}}}
		b.commit(
			nameless(filmBy("tt0133093", "Matrix", 0)),
			nameless(episodeBy("tt0903747", 1, 2)), nameless(episodeBy("tt0903747", 1, 3)), // one question
			nameless(filmBy("tt0000001", "Dune", 2021)), // the identifier is unknown, the title is not
			wish, nameless(filmBy("tt0000001", "Nobody Knows", 2021)),
		)
		b.pass(time.Second)
		b.askedTimes(0, 0) // it gathers first
		b.pass(4 * time.Second)
		for id, key := range map[int64]string{1: "movie:603", 2: "episode:1396:1:2", 3: "episode:1396:1:3", 4: "movie:438631", 5: "tv:1438"} {
			b.stands(id, viewing.StateDelivered, "", key)
		}
		b.stands(6, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.askedTimes(2, 0) // numbers and the wish, then titles; each with the years beside
		b.explained(1, "resolve.askedService: resolve.certain: why.number number=IMDb")
		b.explained(4, "why.title")
		b.explained(6, "why.noTitle")
		records, err := b.box.Records(b.Context())
		if err != nil || len(records.History) != 4 || len(records.Watchlist) != 1 {
			b.Fatalf("%+v, %v", records, err)
		}
		if h := records.History[1]; h.TVShowID != 1396 || h.ID != 0 {
			b.Errorf("recorded %+v", h)
		}
		b.pass(12 * time.Hour)
		b.askedTimes(2, 0) // numbers and the wish, then titles; each with the years beside
	})
}

func TestWhatIsNotCertainIsSuggested(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		unsure := filmBy("tt0133093", "The Matrix", 1999)
		unsure.Unsure = true
		b.commit(nameless(filmBy("", "Dune", 0)), nameless(filmBy("tt0903747", "Breaking", 0)), nameless(unsure))
		b.pass(5 * time.Second)
		for id := range int64(3) {
			b.stands(id+1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		}
		b.explained(1, "resolve.may may=\"Dune\" (1984; film tmdb 841): why.noYear")
		b.explained(2, "why.otherKind number=IMDb")
		b.explained(3, "resolve.may may=\"The Matrix\" (1999; film tmdb 603): why.unsure")
		b.mayBe(1, 841)
		b.mayBe(2)
		b.mayBe(3, 603)
		if len(b.films()) != 0 {
			b.Errorf("recorded %v", b.films())
		}
		media := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
		if _, err := b.store.Edit(b.Context(), 3, entry.Edit{Media: &media}); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Second)
		b.stands(3, viewing.StateDelivered, "", "movie:603")
	})
}

func TestUnknownIsAskedForFourTimes(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.pass(time.Second)
		b.commit(nameless(filmBy("tt0000001", "", 0)))
		b.pass(lookUpDelay + time.Second)
		b.askedTimes(1, 0)
		for i, wait := range []time.Duration{day, 7 * day, 30 * day} {
			b.pass(wait - 10*time.Second)
			b.askedTimes(i+1, 0)
			b.pass(10 * time.Second)
			b.askedTimes(i+2, 0)
		}
		b.restart()
		b.pass(200 * day)
		b.askedTimes(4, 0)
	})
}

func TestServiceThatResolvesNothingIsAskedOnceADay(t *testing.T) {
	inBed(t, true, nil, func(b *bed) {
		b.commit(nameless(filmBy("tt0133093", "", 0)), nameless(filmBy("tt0234215", "", 0)))
		for range 8 {
			b.pass(8 * time.Hour)
			b.commit(ago(1, time.Minute)) // what is sent changes nothing
		}
		b.askedTimes(3, 6)
		b.stands(1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		a, err := b.store.Account(b.Context(), "default")
		if err != nil {
			b.Fatal(err)
		}
		if can, asked := ResolveSupport(a); can || !asked || a.Pause.Reason != "" {
			b.Errorf("account %+v", a)
		}
		// A login has it asked at once.
		if err := b.store.UpdateAccount(b.Context(), "default", func(a *account.Row) { a.SignIn("") }); err != nil {
			b.Fatal(err)
		}
		b.loop.SetService(b.client)
		b.pass(5 * time.Second)
		b.askedTimes(4, 8)
	})
}

func TestOneByOneWhereThereIsNoBatch(t *testing.T) {
	for _, fault := range []string{"status:404", "status:400"} {
		t.Run(fault, func(t *testing.T) {
			inBed(t, false, nil, func(b *bed) {
				b.armAt(batchAsked, fault, 1000)
				b.commit(
					nameless(filmBy("tt0000001", "", 0)), nameless(filmBy("tt0000002", "", 0)),
					nameless(filmBy("tt0133093", "", 0)), nameless(filmBy("tt0000003", "", 0)), nameless(filmBy("tt0234215", "", 0)),
				)
				b.pass(15 * time.Second)
				b.askedTimes(1, 5)
				b.stands(3, viewing.StateDelivered, "", "movie:603")
				b.stands(5, viewing.StateDelivered, "", "movie:604")
				b.explained(1, "why.noNumber")
				b.pass(12 * time.Hour)
				b.askedTimes(1, 5)
			})
		})
	}
}

// An endpoint that is there but does not work keeps no entry from leaving.
func TestBrokenResolverStopsNothing(t *testing.T) {
	for _, fault := range []string{"status:500", "html", "drop-before"} {
		t.Run(fault, func(t *testing.T) {
			inBed(t, false, nil, func(b *bed) {
				b.armAt(batchAsked, fault, 1000)
				b.commit(nameless(filmBy("tt0133093", "", 0)))
				for film := range int64(6) {
					b.pass(time.Hour)
					b.commit(ago(film+2, time.Minute))
					b.pass(time.Second)
					if c := b.counts(); c.Delivered != film+1 {
						b.Fatalf("counts %+v", c)
					}
				}
				if h := b.loop.Health(); h.State != account.OK {
					b.Errorf("health %+v", h)
				}
				if n := b.askedFor(batchAsked); n < 6 || n > 20 {
					b.Errorf("asked %d times in six hours", n)
				}
				b.askedTimes(b.askedFor(batchAsked), 0)
			})
		})
	}
}

func TestNobodyIsAskedWhileNothingMayLeave(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.pass(time.Second)
		b.pause(account.PausedUser)
		b.pass(time.Second)
		b.commit(nameless(filmBy("tt0133093", "", 0)))
		b.pass(day)
		b.askedTimes(0, 0)
		b.loop.SetService(nil)
		b.pause("")
		b.pass(day)
		b.askedTimes(0, 0)
		b.loop.SetService(b.client)
		b.pass(5 * time.Second)
		b.stands(1, viewing.StateDelivered, "", "movie:603")
	})
}

// A wish to be left alone holds for the whole account.
func TestRetryAfterOfAQuestionHoldsForEntries(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.armAt(batchAsked, "retry-after:600", 1)
		b.commit(nameless(filmBy("tt0133093", "", 0)))
		b.pass(5 * time.Second)
		b.askedTimes(1, 0)
		b.commit(ago(5, time.Minute))
		b.pass(9 * time.Minute)
		if c := b.counts(); c.Delivered != 0 || b.askedFor(batchAsked) != 1 {
			b.Errorf("counts %+v, asked %d times", c, b.askedFor(batchAsked))
		}
		b.pass(3 * time.Minute)
		if c := b.counts(); c.Delivered != 2 {
			b.Errorf("counts %+v", c)
		}
	})
}
