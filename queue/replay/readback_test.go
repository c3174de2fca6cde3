package replay

import (
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

// firstReadWait is the wait from a doubt to the first read-back, as in package doubt.
const firstReadWait = 2 * time.Second

// faults returns the faults after which an entry is in doubt.
func faults() []string {
	return []string{"drop-after", "drop-before", "late:3s", "late:4m30s", "cut", "reset", "bare:503", "bare:500"}
}

// After each fault, nothing is lost or doubled, and no entry waits for the user.
func TestReadBackResolvesEveryFault(t *testing.T) {
	for _, fault := range faults() {
		t.Run(fault, func(t *testing.T) { testFault(t, fault, nil) })
	}
}

func testFault(t *testing.T, fault string, change func(*Options)) {
	withSandbox(t, false, change, func(b *fixture) {
		b.deliverAnchor()
		b.armHistoryFault(fault, 5)
		for film := range int64(12) {
			b.commit(filmAgo(film+1, time.Duration(film)*26*time.Hour))
		}
		b.advance(time.Second)
		doubts := b.counts().InDoubt
		b.advance(12 * time.Hour)
		b.expectAllRecordedOnce(13)
		if doubts == 0 {
			b.Error("the fault left no doubt")
		}
	})
}

// expectAllRecordedOnce fails unless all n entries are delivered and recorded exactly once.
func (b *fixture) expectAllRecordedOnce(n int) {
	b.Helper()
	if c := b.counts(); c.Delivered != int64(n) || c.InDoubt+c.Pending+c.Sending+c.Held != 0 {
		b.Errorf("counts %+v, want %d delivered", c, n)
		for id := range int64(n) {
			if e := b.entry(id + 1); e.State != viewing.StateDelivered {
				b.Errorf("entry %d is %s: %q", e.ID, e.State, b.stepTexts(e.ID))
			}
		}
	}
	films := b.recordsByFilm()
	for film, times := range films {
		if times != 1 {
			b.Errorf("film %d was recorded %d times", film, times)
		}
	}
	if len(films) != n {
		b.Errorf("%d films recorded, want %d", len(films), n)
	}
}

// A missing viewing is sent again after two readings, five minutes after the last byte and
// half a minute apart, with the same revision.
func TestMissingViewingIsSentAgainAfterTwoReadings(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.deliverAnchor()
		b.armHistoryFault("drop-before", 1)
		b.commit(filmAgo(1, 26*time.Hour))
		b.advance(5*time.Minute - time.Second)
		if d, ok, err := b.store.Doubt(b.Context(), 2); err != nil || !ok || d.ReadBacks != 0 {
			b.Fatalf("%d readings before five minutes were over, %v", d.ReadBacks, err)
		}
		b.expectEnd(2, viewing.StateInDoubt, "doubt.read: doubt.tooEarly")
		b.advance(30 * time.Second)
		b.expectEnd(2, viewing.StateInDoubt, "doubt.read: doubt.notFirst")
		b.advance(2 * time.Second)
		b.expectEnd(2, viewing.StateDelivered, "doubt.again: doubt.noRecord")
		if e := b.entry(2); e.Revision != 0 || e.Attempts != 2 {
			b.Errorf("entry %+v", e)
		}
		b.expectAllRecordedOnce(2)
	})
}

// A record proves arrival at once; a missing record proves nothing yet.
func TestRecordIsFoundWithinSeconds(t *testing.T) {
	for fault, arrived := range map[string]bool{"drop-after": true, "cut": true, "late:1s": true, "late:3s": false, "drop-before": false} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) { b.expectArrivalWithinSeconds(fault, arrived) })
		})
	}
}

// expectArrivalWithinSeconds sends the first viewing of an account with a fault, and checks
// its state after the first read-back.
func (b *fixture) expectArrivalWithinSeconds(fault string, arrived bool) {
	b.armHistoryFault(fault, 1)
	b.commit(filmAgo(1, 26*time.Hour))
	b.advance(firstReadWait - time.Millisecond)
	if e := b.entry(1); e.State != viewing.StateInDoubt {
		b.Fatalf("entry is %s: %q", e.State, b.stepTexts(1))
	}
	b.advance(2 * time.Millisecond)
	want := viewing.StateInDoubt
	if arrived {
		want = viewing.StateDelivered
	}
	if e := b.entry(1); e.State != want || e.Attempts != 1 {
		b.Fatalf("entry is %s after %d attempts, want %s: %q", e.State, e.Attempts, want, b.stepTexts(1))
	}
	asked := b.requestCount("GET /history")
	b.advance(4 * time.Minute)
	if n := b.requestCount("GET /history"); n != asked || b.entry(1).State != want {
		b.Errorf("asked %d more times, entry is %s", n-asked, b.entry(1).State)
	}
}

// The first read-back takes place within half a minute, even if many entries wait.
func TestRecordIsFoundWhileOthersAreSent(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.armHistoryFault("delay:1s", 10)
		b.armHistoryFault("drop-after", 1)
		b.armHistoryFault("delay:1s", 100)
		for film := range int64(100) {
			b.commit(filmAgo(film+1, time.Hour))
		}
		b.advance(11 * time.Second)
		b.expectState(11, viewing.StateInDoubt, 1)
		b.advance(30 * time.Second)
		b.expectEnd(11, viewing.StateDelivered, "doubt.read: doubt.there")
		if c := b.counts(); c.Pending < 40 || c.Delivered < 30 {
			b.Errorf("counts %+v", c)
		}
	})
}

// There is no read-back while the service is offline. The first one takes place as soon as
// it is back.
func TestFirstReadBackWaitsForTheService(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.deliverAnchor()
		b.armHistoryFault("drop-after", 1)
		b.armHistoryFault("bare:503", 3)
		b.armFault("GET /me", "bare:503", 4)
		b.commit(filmAgo(1, 26*time.Hour))
		b.advance(firstReadWait + 6*time.Second) // probed then, and 1, 3 and 7 s later
		if e := b.entry(2); e.State != viewing.StateInDoubt || b.loop.Health().State != account.Offline {
			b.Fatalf("entry is %s, health %+v", e.State, b.loop.Health())
		}
		b.advance(2 * time.Second)
		b.expectAllRecordedOnce(2)
	})
}

// If the first viewing of all is in doubt, a record proves its arrival, but a missing record
// proves nothing until another viewing was delivered.
func TestAbsenceProvesNothingWithoutAnAnchor(t *testing.T) {
	for fault, at := range map[string]viewing.State{"drop-after": viewing.StateDelivered, "drop-before": viewing.StateInDoubt} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.armHistoryFault(fault, 1)
				b.commit(filmAgo(1, 26*time.Hour))
				b.advance(time.Hour)
				if e := b.entry(1); e.State != at {
					b.Fatalf("entry is %s, want %s: %q", e.State, at, b.stepTexts(1))
				}
				b.commit(filmAgo(2, 27*time.Hour))
				b.advance(48 * time.Hour)
				b.expectAllRecordedOnce(2)
			})
		})
	}
}

// Without an anchor the intervals between readings grow, and then the setting decides.
func TestReadBackIntervalsGrow(t *testing.T) {
	for setting, sends := range map[doubt.Setting]int{doubt.Hold: 1, doubt.Resend: 2, doubt.Assume: 1} {
		t.Run(string(setting), func(t *testing.T) {
			withSandbox(t, false, func(o *Options) { o.InDoubt = setting }, func(b *fixture) {
				b.armHistoryFault("drop-before", 1)
				b.commit(filmAgo(1, 26*time.Hour))
				for range 9 {
					b.advanceToNextReading()
					if b.entry(1).State != viewing.StateInDoubt {
						break
					}
				}
				want := seconds(298, 30, 30, 300, 3600, 6*3600)
				if setting == doubt.Hold {
					want = append(want, seconds(24*3600, 24*3600)...)
				}
				if got := gaps(b.requestTimes("GET /history")); !near(got, want) {
					b.Errorf("readings are %v apart, want %v", got, want)
				}
				b.advance(time.Second)
				if got := b.requestCount("POST /history"); got != sends {
					b.Errorf("%d sends, want %d: %q", got, sends, b.stepTexts(1))
				}
				if e := b.entry(1); (e.State == viewing.StateInDoubt) != (setting == doubt.Hold) {
					b.Errorf("entry is %s", e.State)
				}
			})
		})
	}
}

// Readings requested by the user do not make the setting apply earlier, but find a new
// record at once.
func TestRecheckDoesNotApplyTheSettingEarlier(t *testing.T) {
	recheck := func(b *fixture) {
		b.Helper()
		order := entry.Order{Verb: entry.VerbRecheck, Selection: entry.Selection{IDs: []int64{1}}}
		if _, err := b.store.Operate(b.Context(), order); err != nil {
			b.Fatal(err)
		}
		b.loop.Wake()
		b.advance(time.Second)
	}
	t.Run("missing", func(t *testing.T) {
		withSandbox(t, false, func(o *Options) { o.InDoubt = doubt.Resend }, func(b *fixture) {
			b.armHistoryFault("drop-before", 1)
			b.commit(filmAgo(1, 26*time.Hour))
			b.advance(10 * time.Minute)
			for range 20 {
				recheck(b)
			}
			if n, reads := b.requestCount("POST /history"), b.requestCount("GET /history"); n != 1 || reads < 20 {
				b.Errorf("%d sends and %d readings, want one and 20: %q", n, reads, b.stepTexts(1))
			}
		})
	})
	t.Run("there", func(t *testing.T) {
		withSandbox(t, false, nil, func(b *fixture) {
			b.armHistoryFault("late:26h", 1)
			b.commit(filmAgo(1, 26*time.Hour))
			b.advance(27 * time.Hour)
			before := b.requestCount("GET /history")
			recheck(b)
			if e := b.entry(1); e.State != viewing.StateDelivered || b.requestCount("GET /history") != before+1 || b.requestCount("POST /history") != 1 {
				b.Errorf("it is %s after %d readings: %q", e.State, b.requestCount("GET /history")-before, b.stepTexts(1))
			}
		})
	})
}

// advanceToNextReading advances the clock until the history is read again, at most a week.
func (b *fixture) advanceToNextReading() {
	for n, end := b.requestCount("GET /history"), time.Now().Add(7*day); b.requestCount("GET /history") == n && time.Now().Before(end); {
		b.advance(time.Second)
	}
}

// near reports whether times are equal within two seconds.
func near(got, want []time.Duration) bool {
	return slices.EqualFunc(got, want, func(a, b time.Duration) bool { return (a - b).Abs() <= 2*time.Second })
}

// Resends with the same Idempotency-Key are half a minute to a quarter of an hour apart.
func TestIdempotentResendsLastTwelveHours(t *testing.T) {
	withScript(t, func(o *Options) { o.Idempotent = true }, func(b *fixture) {
		b.script.set(func() { b.script.answer = func(int64) reply { return serverError } })
		b.watch(1)
		b.advance(36 * time.Hour)
		sends := b.script.sends
		got := gaps(b.script.sentAt())
		if want := seconds(30, 60, 120, 240, 480, 900, 900); len(got) < 40 || !near(got[:7], want) {
			b.Fatalf("sent %v apart", got)
		}
		for _, s := range sends[1:] {
			if s.key != sends[0].key || s.at.Sub(sends[0].at) > 12*time.Hour {
				b.Errorf("%s later: %+v", s.at.Sub(sends[0].at), s)
			}
		}
		b.expectState(1, viewing.StateInDoubt, len(sends))
	})
}

// A viewing sent with another user's key is no anchor, so an entry missing in this user's
// history is not sent again.
func TestDeliveriesOfAnotherUserAreNoAnchors(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.commit(watchlistAdd(5)) // the key's user is known from here on
		b.advance(time.Second)
		b.editAccount(func(a *account.Row) { a.Owner = "usr_somebody_else" })
		b.commit(filmAgo(999, 50*time.Hour))
		b.advance(time.Second)
		b.editAccount(func(a *account.Row) { a.Owner = "" })
		b.armHistoryFault("drop-before", 1)
		b.commit(filmAgo(1, 26*time.Hour))
		b.advance(day)
		b.expectEnd(3, viewing.StateInDoubt, "")
		if n := b.requestCount("POST /history"); n != 2 || b.accountRow().Keeps != "" {
			b.Errorf("%d sends, learned %q", n, b.accountRow().Keeps)
		}
	})
}
