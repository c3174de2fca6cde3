package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

func watchlistAdd(film int64) viewing.Event {
	return viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: film}}}}
}

func listNamed(name string) viewing.Event {
	return viewing.Event{Kind: viewing.KindList, List: &viewing.List{Name: name}}
}

// expectEnd fails unless an entry has a state, and a step with that text.
func (b *fixture) expectEnd(id int64, want viewing.State, text string) {
	b.Helper()
	e := b.entry(id)
	if steps := strings.Join(b.stepTexts(id), "\n"); e.State != want || !strings.Contains(steps, text) {
		b.Errorf("entry %d is %s, want %s, %q\n%s", id, e.State, want, text, steps)
	}
}

func (b *fixture) listNames() (names []string) {
	b.Helper()
	records, err := b.sandbox.Records(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range records.Lists {
		names = append(names, r.Name)
	}
	return names
}

func TestWatchlistAddInDoubtIsRepeated(t *testing.T) {
	for _, contractOnly := range []bool{false, true} {
		for _, fault := range []string{"drop-before", "drop-after"} {
			t.Run(fmt.Sprint(fault, ", contract only ", contractOnly), func(t *testing.T) {
				withSandbox(t, contractOnly, nil, func(b *fixture) {
					b.armFault("POST /watchlist", fault, 2)
					b.commit(watchlistAdd(603))
					b.advance(time.Hour)
					b.expectEnd(1, viewing.StateDelivered, "doubt.again")
					if records, err := b.sandbox.Records(b.Context()); err != nil || len(records.Watchlist) != 1 {
						b.Errorf("%+v, %v", records.Watchlist, err)
					}
				})
			})
		}
	}
}

func TestWatchlistAddIsNotRepeatedAfterAViewing(t *testing.T) {
	withSandbox(t, true, func(o *Options) { o.InDoubt = doubt.Resend }, func(b *fixture) {
		b.armFault("POST /watchlist", "drop-after", 1)
		b.commit(watchlistAdd(603))
		b.advance(time.Minute)
		b.commit(filmAgo(603, 0))
		b.advance(48 * time.Hour)
		b.expectEnd(1, viewing.StateInDoubt, "doubt.watchedSince")
		if n := b.requestCount("POST /watchlist"); n != 1 {
			b.Errorf("%d watchlist adds were sent, want 1", n)
		}
	})
}

func TestListInDoubtIsRecognizedAsNew(t *testing.T) {
	for fault, want := range map[string]viewing.State{"drop-after": viewing.StateDelivered, "cut": viewing.StateDelivered, "drop-before": viewing.StateInDoubt} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.commit(listNamed("Noir")) // an older list of the same name
				b.advance(time.Second)
				b.armFault("POST /lists", fault, 1)
				b.commit(listNamed("Noir"))
				b.advance(time.Hour)
				b.expectEnd(2, want, map[bool]string{true: "doubt.listThere", false: "doubt.noList"}[want == viewing.StateDelivered])
				names, e := b.listNames(), b.entry(2)
				if want == viewing.StateDelivered && (len(names) != 2 || e.RemoteID == "" || e.RemoteID == b.entry(1).RemoteID) {
					b.Errorf("lists %q, entry %+v", names, e)
				}
				if want == viewing.StateInDoubt && len(names) != 1 {
					b.Errorf("lists %q", names)
				}
			})
		})
	}
}

func TestMissingEndpointsAreRequestedOnceADay(t *testing.T) {
	withSandbox(t, true, nil, func(b *fixture) {
		b.armHistoryFault("drop-after", 1)
		b.commit(filmAgo(1, 26*time.Hour))
		b.advance(71 * time.Hour)
		b.expectEnd(1, viewing.StateInDoubt, "doubt.waits: doubt.unread")
		if n := b.requestCount("GET /history"); n != 3 {
			b.Errorf("asked %d times in three days, want 3", n)
		}
		if n := b.requestCount("GET /lists"); n != 0 {
			b.Errorf("lists were asked for %d times, for a film", n)
		}
		if a, err := b.store.Account(b.Context(), "default"); err != nil || a.Pause.Reason != "" || a.Support["history"].Has || a.Support["history"].At.IsZero() {
			b.Errorf("account %+v, %v", a, err)
		}
		b.advance(40 * 24 * time.Hour)
		asked := b.requestCount("GET /history")
		b.advance(10 * 24 * time.Hour)
		if n := b.requestCount("GET /history"); n != asked {
			b.Errorf("still asked for after the month")
		}
	})
}

// A 5xx response other than 501 does not mean that the endpoint is missing.
func TestServerErrorDoesNotMarkAnEndpointMissing(t *testing.T) {
	for fault, missing := range map[string]bool{"bare:503": false, "bare:500": false, "status:404": true, "bare:501": true} {
		t.Run(fault, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.armFault("GET /me", fault, 1000)
				b.armHistoryFault("drop-after", 1)
				b.commit(filmAgo(1, 26*time.Hour))
				b.advance(time.Hour)
				if c := b.counts(); c.Delivered != 1 {
					b.Errorf("%s: not read back: %+v", fault, c)
				}
				a, err := b.store.Account(b.Context(), "default")
				if err != nil {
					b.Fatal(err)
				}
				if me, known := a.Support["me"]; known != missing || me.Has {
					b.Errorf("%s: %+v, known %v", fault, me, known)
				}
			})
		})
	}
}

// An entry sent with another user's key or to another address is not searched in this
// history.
func TestOtherKeyOrAddressLeavesEntriesInDoubt(t *testing.T) {
	for name, change := range map[string]func(*account.Row){
		"owner":   func(a *account.Row) { a.Owner = "usr_somebody_else" },
		"address": func(a *account.Row) { a.MovedAt = time.Now().Add(time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			withSandbox(t, false, func(o *Options) { o.InDoubt = doubt.Resend }, func(b *fixture) {
				b.deliverAnchor()
				if name == "owner" {
					if err := b.store.UpdateAccount(b.Context(), "default", change); err != nil {
						b.Fatal(err)
					}
				}
				b.armHistoryFault("drop-before", 1)
				b.commit(filmAgo(1, 26*time.Hour))
				b.advance(time.Millisecond)
				if name == "address" {
					if err := b.store.UpdateAccount(b.Context(), "default", change); err != nil {
						b.Fatal(err)
					}
				}
				b.advance(72 * time.Hour)
				b.expectEnd(2, viewing.StateInDoubt, "doubt.waits: doubt.otherKey")
				if n := b.requestCount("GET /history"); n != 0 {
					b.Errorf("the history was read %d times", n)
				}
			})
		})
	}
}

// A resend delayed for more than 12 hours is read back instead: the service may have
// forgotten the Idempotency-Key.
func TestDelayedResendIsReadBackInstead(t *testing.T) {
	withSandbox(t, false, func(o *Options) { o.Idempotent = true; o.InDoubt = doubt.Resend }, func(b *fixture) {
		b.armHistoryFault("drop-after", 1)
		b.commit(filmAgo(1, 26*time.Hour))
		b.advance(29 * time.Second)
		b.armHistoryFault("retry-after:50000", 1) // nearly 14 hours
		b.advance(20 * time.Hour)
		b.expectEnd(1, viewing.StateDelivered, "life.keyForgotten")
		b.expectEnd(1, viewing.StateDelivered, "doubt.read: doubt.there")
		if films := b.recordsByFilm(); films[1] != 1 {
			b.Errorf("recorded %d times", films[1])
		}
	})
}

// With the key of another user, the account pauses before the first entry is sent. It
// continues with a key of the owner.
func TestNothingIsSentWithTheKeyOfAnotherUser(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.editAccount(func(a *account.Row) { a.Owner = "usr_somebody_else" })
		b.commit(filmAgo(1, time.Minute))
		b.advance(time.Minute)
		if h := b.loop.Health(); h.Pause != account.PausedKey || h.Reason.Code != KeyOtherUser || b.requestCount("POST /history") != 0 {
			b.Errorf("health %+v, %d sends", h, b.requestCount("POST /history"))
		}
		b.editAccount(func(a *account.Row) { a.Owner = "" })
		b.advance(time.Second)
		b.expectAllRecordedOnce(1)
	})
}
