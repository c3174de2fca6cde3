package replay

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// elsewhere has another device tell the service of a film.
func (b *bed) elsewhere(film int64, at time.Time) {
	b.Helper()
	r, err := tracker.NewRequest(viewing.KindViewing, viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}, viewing.At(at), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	if v := b.client.Send(b.Context(), r); v.Fate != tracker.Delivered {
		b.Fatalf("%+v", v)
	}
}

// caughtUp is a film that a library shows as watched some time ago.
func caughtUp(film int64, d time.Duration) viewing.Event {
	v := ago(film, d)
	v.Class = viewing.ClassCatchUp
	return v
}

func TestCatchUpIsLookedUpBeforeItIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		apart   time.Duration
		runtime float64
		class   viewing.Class
		want    viewing.State
		records int
	}{
		"the same playback":                  {18 * time.Minute, 0, viewing.ClassCatchUp, viewing.StateMerged, 1},
		"the same, the other way round":      {-18 * time.Minute, 0, viewing.ClassCatchUp, viewing.StateMerged, 1},
		"another playback":                   {21 * time.Minute, 0, viewing.ClassCatchUp, viewing.StateDelivered, 2},
		"half the running time":              {59 * time.Minute, 7200, viewing.ClassCatchUp, viewing.StateMerged, 1},
		"more than half of the running time": {61 * time.Minute, 7200, viewing.ClassCatchUp, viewing.StateDelivered, 2},
		"a short one":                        {18 * time.Minute, 1800, viewing.ClassCatchUp, viewing.StateDelivered, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, false, nil, func(b *bed) {
				b.elsewhere(1, time.Now().Add(-30*time.Hour))
				v := caughtUp(1, 30*time.Hour+c.apart)
				v.Class = c.class
				if c.runtime > 0 {
					v.Progress = &viewing.Progress{Duration: c.runtime}
				}
				b.commit(v)
				b.pass(time.Minute)
				says := ""
				if c.want == viewing.StateMerged {
					says = "Merged: the service has this item already, watched at 1999-12-30 20:00:37"
				}
				b.ends(1, c.want, says)
				if n := b.films()[1]; n != c.records {
					b.Errorf("%d records, want %d", n, c.records)
				}
			})
		})
	}
}

// TestTwoPlaysOfOneEventAreTwo: what this event has brought itself is no
// reason to merge the rest of it.
func TestTwoPlaysOfOneEventAreTwo(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		v := caughtUp(1, 30*time.Hour)
		v.Count = 3
		b.commit(v)
		b.pass(time.Hour)
		if c := b.counts(); c.Delivered != 3 || b.films()[1] != 3 {
			b.Errorf("counts %+v, records %v", c, b.films())
		}
	})
}

// TestALaterPlayOfOneEventIsItsOwn: when the history is read again, the record
// of the first play does not stand for the second.
func TestALaterPlayOfOneEventIsItsOwn(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.stop()
		v := caughtUp(1, 30*time.Hour)
		v.Count = 2
		b.commit(v)
		second := entry.Selection{IDs: []int64{2}}
		if _, err := b.store.Hold(b.Context(), second, false); err != nil {
			b.Fatal(err)
		}
		b.start()
		b.pass(time.Hour)
		b.ends(1, viewing.StateDelivered, "")
		if _, err := b.store.ReleaseHeld(b.Context(), second, false); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Hour)
		b.ends(2, viewing.StateDelivered, "")
		if n := b.films()[1]; n != 2 || b.askedFor("GET /history") != 2 {
			b.Errorf("%d records after %d readings, want 2 after 2", n, b.askedFor("GET /history"))
		}
	})
}

func TestManyAreLookedUpInOneReading(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		for film := range int64(30) {
			if film%2 == 0 {
				b.elsewhere(film+1, time.Now().Add(-30*time.Hour))
			}
		}
		for film := range int64(30) {
			b.commit(caughtUp(film+1, 30*time.Hour))
		}
		b.pass(30 * time.Second)
		if c := b.counts(); c.Merged != 15 || c.Delivered != 15 {
			b.Errorf("counts %+v", c)
		}
		if n := b.askedFor("GET /history"); n != 1 {
			b.Errorf("the history was read %d times", n)
		}
	})
}

func TestWhatCannotBeLookedUpIsSent(t *testing.T) {
	t.Run("a service of the contract alone", func(t *testing.T) {
		inBed(t, true, nil, func(b *bed) {
			b.commit(caughtUp(1, 30*time.Hour), caughtUp(2, 31*time.Hour))
			b.pass(time.Minute)
			if c := b.counts(); c.Delivered != 2 || b.askedFor("GET /history") != 1 {
				b.Errorf("counts %+v, asked %d times", c, b.askedFor("GET /history"))
			}
		})
	})
	t.Run("a history that does not work", func(t *testing.T) {
		inBed(t, false, nil, func(b *bed) {
			b.armAt("GET /history", "status:500", 100)
			b.commit(caughtUp(1, 30*time.Hour), caughtUp(2, 31*time.Hour))
			b.pass(time.Minute)
			if c := b.counts(); c.Delivered != 2 || b.askedFor("GET /history") != 1 {
				b.Errorf("counts %+v, asked %d times", c, b.askedFor("GET /history"))
			}
		})
	})
}

// TestLookUpWaitsForTheNetwork: while the service cannot be reached, nothing is
// concluded from that.
func TestLookUpWaitsForTheNetwork(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.elsewhere(1, time.Now().Add(-30*time.Hour))
		b.armAt("GET /history", "drop-before", 2)
		b.armAt("GET /me", "drop-before", 6)
		b.commit(caughtUp(1, 30*time.Hour))
		b.pass(time.Hour)
		b.ends(1, viewing.StateMerged, "the same playback")
		if n := b.films()[1]; n != 1 {
			b.Errorf("%d records", n)
		}
	})
}

// seenLive is a film whose end a player told as it came.
func seenLive(film int64, d time.Duration) viewing.Event {
	v := ago(film, d)
	v.Class = viewing.ClassLive
	return v
}

// TestLiveIsLookedUpBeforeItIsSent: two programs of one household may see the
// same playback. Whoever comes second does not send it again.
func TestLiveIsLookedUpBeforeItIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		told  time.Duration // what another program told ended so long before ours
		keeps doubt.Precision
		fault string
		want  viewing.State
	}{
		"the same playback":                     {told: time.Minute, want: viewing.StateMerged},
		"the same, and the other saw it later":  {told: -time.Minute, want: viewing.StateMerged},
		"the same, of a service that is known":  {told: time.Minute, keeps: doubt.Exact, want: viewing.StateMerged},
		"another playback":                      {told: 21 * time.Minute, want: viewing.StateDelivered},
		"a service that shows days":             {told: time.Minute, keeps: doubt.Day, want: viewing.StateDelivered},
		"a service that shows times of arrival": {told: time.Minute, keeps: doubt.Arrival, want: viewing.StateDelivered},
		"a question that fails":                 {told: time.Minute, fault: "status:500", want: viewing.StateDelivered},
		"a question without an answer":          {told: time.Minute, fault: "drop-after", want: viewing.StateDelivered},
		"a question that is answered late":      {told: time.Minute, fault: "delay:20s", want: viewing.StateDelivered},
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, false, nil, func(b *bed) {
				b.anchor()
				if err := b.store.UpdateAccount(b.Context(), "default", func(a *account.Row) { a.Keeps = string(c.keeps) }); err != nil {
					b.Fatal(err)
				}
				b.elsewhere(1, time.Now().Add(-c.told-10*time.Second))
				if c.fault != "" {
					b.armAt("POST /media/status", c.fault, 1)
				}
				b.commit(seenLive(1, 10*time.Second))
				b.pass(time.Minute)
				records := 2
				if c.want == viewing.StateMerged {
					records = 1
				}
				if b.ends(2, c.want, ""); b.films()[1] != records {
					b.Errorf("%d records, want %d", b.films()[1], records)
				}
			})
		})
	}
}

// TestOurOwnRecordIsNoReasonToMerge: what this queue has brought itself was
// another playback, or the queue would have merged it.
func TestOurOwnRecordIsNoReasonToMerge(t *testing.T) {
	for name, earlier := range map[string]viewing.Event{
		"seen shortly before":    seenLive(1, 0),
		"seen long ago, yet new": caughtUp(1, 0),
	} {
		t.Run(name, func(t *testing.T) {
			inBed(t, false, nil, func(b *bed) {
				b.anchor()
				earlier.WatchedAt = viewing.At(time.Now().Add(-5 * time.Minute))
				if earlier.Class == viewing.ClassCatchUp {
					earlier.WatchedAt = viewing.At(time.Now().Add(-30 * time.Hour))
					b.elsewhere(1, time.Now()) // as a service shows it that keeps the time of arrival
				}
				b.commit(earlier)
				b.pass(time.Minute)
				b.ends(2, viewing.StateDelivered, "")
				b.commit(seenLive(1, 0))
				b.pass(time.Minute)
				b.ends(3, viewing.StateDelivered, "")
			})
		})
	}
}

// TestTwoThatWaitedTogetherAreTwo: both arrive long after they ended.
func TestTwoThatWaitedTogetherAreTwo(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.anchor()
		b.commit(seenLive(1, 100*time.Minute), seenLive(1, 90*time.Minute))
		b.pass(time.Minute)
		if c := b.counts(); c.Delivered != 3 || b.films()[1] != 2 {
			b.Errorf("counts %+v, records %v", c, b.films())
		}
	})
}

// TestARecordOfWhatWasDroppedIsOurs: a request may arrive after its entry was
// given up. What it recorded is no reason to merge the next playback.
func TestARecordOfWhatWasDroppedIsOurs(t *testing.T) {
	inBed(t, false, func(o *Options) { o.InDoubt = doubt.Hold }, func(b *bed) {
		b.anchor()
		b.arm("drop-after", 1)
		b.armAt("GET /history", "status:500", 100)
		b.armAt("POST /media/status", "status:500", 3)
		b.commit(seenLive(1, 0))
		b.pass(10 * time.Second)
		b.ends(2, viewing.StateInDoubt, "")
		if _, err := b.store.Drop(b.Context(), entry.Selection{IDs: []int64{2}}, false); err != nil {
			b.Fatal(err)
		}
		b.pass(10 * time.Minute)
		b.commit(seenLive(1, 0))
		b.pass(time.Minute)
		b.ends(3, viewing.StateDelivered, "")
	})
}

func TestWhatAPersonAddsIsNotLookedUp(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.anchor()
		b.elsewhere(1, time.Now())
		before := b.askedFor("POST /media/status")
		b.events++
		v := seenLive(1, 0)
		v.EventID = fmt.Sprint("typed", b.events)
		if _, err := b.store.Commit(b.Context(), viewing.Batch{Source: viewing.SourceCLI, Events: []viewing.Event{v}}); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Minute)
		b.ends(2, viewing.StateDelivered, "")
		if n := b.askedFor("POST /media/status") - before; n != 0 || b.films()[1] != 2 {
			b.Errorf("asked %d times, %d records; want 0 and 2", n, b.films()[1])
		}
	})
}

// TestOneOddAnswerEndsNoLookup: it is of one item, and says nothing of the rest.
func TestOneOddAnswerEndsNoLookup(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.anchor()
		b.commit(seenLive(7, 0))
		b.pass(time.Minute)
		b.armAt("POST /media/status", "status:422", 1)
		b.commit(seenLive(1, 0))
		b.pass(time.Hour)
		b.elsewhere(2, time.Now().Add(-time.Minute))
		b.commit(seenLive(2, 0))
		b.pass(time.Minute)
		if n := b.films()[2]; n != 1 {
			b.Errorf("%d records, want 1", n)
		}
	})
}

// TestALookupThatIsToWaitHoldsTheEntry: the service wants to be left alone.
func TestALookupThatIsToWaitHoldsTheEntry(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.anchor()
		b.armAt("POST /media/status", "retry-after:600", 1)
		b.commit(seenLive(1, 0))
		b.pass(9 * time.Minute)
		if n := b.films()[1]; n != 0 {
			b.Errorf("%d records before the service's own time", n)
		}
		b.pass(5 * time.Minute)
		b.ends(2, viewing.StateDelivered, "")
	})
}

// TestALookupThatHangsIsNotRepeated: each live viewing would wait for it.
func TestALookupThatHangsIsNotRepeated(t *testing.T) {
	inBed(t, false, nil, func(b *bed) {
		b.anchor()
		before := b.askedFor("POST /media/status")
		b.armAt("POST /media/status", "delay:1h", 100)
		for film := range int64(20) {
			b.commit(seenLive(film+1, 0))
		}
		b.pass(20 * time.Second)
		if n := b.askedFor("POST /media/status") - before; b.counts().Delivered != 21 || n > 4 {
			b.Errorf("%d delivered, asked %d times", b.counts().Delivered, n)
		}
	})
}

// TestARequestThatArrivedLongAgoIsOurs: a service may show when it arrived, and
// the entry that it was for was given up much later.
func TestARequestThatArrivedLongAgoIsOurs(t *testing.T) {
	inBed(t, false, func(o *Options) { o.InDoubt = doubt.Hold }, func(b *bed) {
		b.anchor()
		b.elsewhere(1, time.Now()) // as a service shows it that keeps the time of arrival
		b.arm("drop-before", 1)
		b.armAt("GET /history", "status:500", 1000)
		b.armAt("POST /media/status", "status:500", 1)
		b.commit(seenLive(1, 3*time.Hour))
		b.pass(10 * time.Second)
		b.ends(2, viewing.StateInDoubt, "")
		b.pass(5 * time.Minute)
		b.commit(seenLive(1, 0))
		b.pass(30 * time.Minute)
		if _, err := b.store.Drop(b.Context(), entry.Selection{IDs: []int64{2}}, false); err != nil {
			b.Fatal(err)
		}
		b.pass(10 * time.Minute)
		b.ends(3, viewing.StateDelivered, "")
	})
}

func TestAServiceWithoutStatusIsAskedOnce(t *testing.T) {
	inBed(t, true, nil, func(b *bed) {
		for film := range int64(5) {
			b.commit(seenLive(film+1, 0))
			b.pass(time.Minute)
		}
		if n := b.askedFor("POST /media/status"); b.counts().Delivered != 5 || n != 1 {
			b.Errorf("%d delivered, asked %d times; want 5 and once", b.counts().Delivered, n)
		}
	})
}
