package replay

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Each verdict has its effect on the entry and on the account.
func TestEachVerdictChangesEntryAndAccount(t *testing.T) {
	for name, c := range map[string]struct {
		reply    reply
		state    viewing.State
		attempts int
		revision int
		paused   string
		health   account.State
	}{
		"delivered": {delivered, viewing.StateDelivered, 1, 0, "", account.OK},
		"rejected":  {rejected, viewing.StateRejected, 1, 1, "", account.OK},
		"refused":   {refused, viewing.StatePending, 0, 0, account.PausedKey, account.Attention},
		"unproven":  {unproven, viewing.StatePending, 0, 0, account.PausedAddress, account.Attention},
		"later":     {retryLater, viewing.StatePending, 1, 0, "", account.OK},
		"in doubt":  {serverError, viewing.StateInDoubt, 1, 0, "", account.OK},
	} {
		t.Run(name, func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				b.script.answerAll(c.reply)
				b.watch(1)
				b.expectState(1, c.state, c.attempts)
				e, row := b.entry(1), b.accountRow()
				if e.Revision != c.revision || row.Pause.Reason != c.paused || b.loop.Health().Pause != c.paused {
					b.Errorf("revision %d, paused %q, health %+v", e.Revision, row.Pause.Reason, b.loop.Health())
				}
				b.expectHealth(c.health)
				x, err := b.store.Explain(b.Context(), 1)
				if err != nil || len(x.Requests) != 1 || x.Requests[0].Status != c.reply.status {
					b.Errorf("requests %+v, %v", x.Requests, err)
				}
			})
		})
	}
}

// Entries are sent one at a time, and each result is stored. A pause or a new key between
// two of them takes effect at once.
func TestEntriesAreSentOneByOne(t *testing.T) {
	flow := func(b *fixture) {
		b.script.set(func() { b.script.delay = time.Second })
		var all []viewing.Event
		for film := range int64(20) {
			all = append(all, filmAgo(film+1, 0))
		}
		b.commit(all...)
		b.advance(5500 * time.Millisecond)
		if n, _ := b.script.requestCounts(); n != 6 {
			b.Fatalf("%d sends in five seconds and a half", n)
		}
	}
	for name, c := range map[string]struct {
		act    func(b *fixture)
		counts entry.Counts
	}{
		"undisturbed": {func(*fixture) {}, entry.Counts{Delivered: 20}},
		"a pause":     {func(b *fixture) { b.pause(account.PausedUser) }, entry.Counts{Delivered: 6, Pending: 14}},
		"no key":      {func(b *fixture) { b.loop.SetService(nil) }, entry.Counts{Delivered: 6, Pending: 14}},
	} {
		t.Run(name, func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				flow(b)
				c.act(b)
				b.advance(time.Minute)
				if n := b.counts(); n != c.counts || b.script.maxInProgress != 1 {
					b.Errorf("%+v, want %+v; %d at once", n, c.counts, b.script.maxInProgress)
				}
				if _, p := b.script.requestCounts(); p != 0 {
					b.Errorf("%d probes", p)
				}
			})
		})
	}
	t.Run("a new key", func(t *testing.T) {
		withScript(t, nil, func(b *fixture) {
			flow(b)
			fresh := &script{probeReply: refused}
			b.loop.SetService(b.newScriptClient(fresh, true))
			b.advance(time.Minute)
			if n, p := fresh.requestCounts(); n != 0 || p != 1 || b.counts().Delivered != 6 {
				b.Errorf("%d sends and %d probes with the new key, %+v", n, p, b.counts())
			}
		})
	})
}

func TestNothingIsSentWithoutAKey(t *testing.T) {
	withScript(t, func(o *Options) { o.Service = nil }, func(b *fixture) {
		b.watch(1)
		b.advance(24 * time.Hour)
		if n, p := b.script.requestCounts(); n+p != 0 {
			b.Fatalf("%d sends, %d probes", n, p)
		}
		b.expectHealth(account.NoKey)
		b.loop.SetService(b.client)
		synctest.Wait()
		b.expectState(1, viewing.StateDelivered, 1)
		b.loop.SetService(nil)
		b.watch(2)
		b.expectState(2, viewing.StatePending, 0)
		b.expectHealth(account.NoKey)
	})
}

// A response to the old key does not affect the new one, and an entry marked as sending
// with the old key is sent with the new one.
func TestNewKeyIgnoresResponsesToTheOldOne(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(refused)
		b.script.set(func() { b.script.delay = 10 * time.Second })
		b.watch(1)
		fresh := &script{}
		b.loop.SetService(b.newScriptClient(fresh, true))
		b.advance(10 * time.Second)
		b.expectState(1, viewing.StateDelivered, 1)
		if n, p := fresh.requestCounts(); n != 1 || p != 1 || b.accountRow().Pause.Reason != "" {
			b.Errorf("%d sends and %d probes with the new key, paused %q", n, p, b.accountRow().Pause.Reason)
		}
		b.disk.markSlowly(2 * time.Second)
		b.watch(2)
		other := &script{}
		b.loop.SetService(b.newScriptClient(other, true))
		b.advance(time.Minute)
		before, _ := fresh.requestCounts()
		if after, _ := other.requestCounts(); before != 1 || after != 1 {
			b.Errorf("%d more sends to the one, %d to the other", before-1, after)
		}
		b.expectState(2, viewing.StateDelivered, 1)
	})
}

func TestUserPauseStopsAllRequests(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.pause(account.PausedUser)
		b.watch(1)
		b.advance(48 * time.Hour)
		b.loop.SetService(b.client) // a new key does not end it
		synctest.Wait()
		if n, p := b.script.requestCounts(); n+p != 0 {
			b.Fatalf("%d sends, %d probes", n, p)
		}
		b.expectHealth(account.Paused)
		b.pause("")
		if n, p := b.script.requestCounts(); n != 1 || p != 1 {
			b.Errorf("%d sends, %d probes", n, p)
		}
		b.expectHealth(account.OK)
	})
}

// A pause ends on time, also after a restart, and with a probe before the first entry. A
// clock that was ahead at its start does not prolong it.
func TestTimedPauseEndsOnTime(t *testing.T) {
	for name, c := range map[string]struct {
		ahead   time.Duration
		restart bool
	}{"plain": {}, "over a restart": {restart: true}, "by a clock a year ahead": {ahead: 365 * 24 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				began := time.Now().Add(c.ahead)
				b.editAccount(func(a *account.Row) { a.Pause = account.ByUser(began, began.Add(2*time.Hour), false) })
				b.watch(1)
				b.expectHealth(account.Paused)
				b.advance(time.Hour)
				if c.restart {
					b.restart()
				}
				b.advance(time.Hour - time.Second)
				if n, p := b.script.requestCounts(); n+p != 0 {
					b.Fatalf("before its end: %d sends, %d probes", n, p)
				}
				b.advance(2 * time.Second)
				if n, _ := b.script.requestCounts(); n != 1 || b.accountRow().Pause.Reason != "" {
					b.Errorf("after its end: %d sends, %+v", n, b.accountRow().Pause)
				}
				b.expectHealth(account.OK)
			})
		})
	}
}

func TestUserPauseIsKeptWhenTheKeyIsRefused(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(refused)
		b.script.set(func() { b.script.delay = time.Second })
		b.watch(1)
		b.pause(account.PausedUser)
		b.advance(time.Second)
		if reason := b.accountRow().Pause.Reason; reason != account.PausedUser {
			b.Errorf("paused %q", reason)
		}
		b.expectHealth(account.Paused)
	})
}

func TestProvenIsStoredForTheCurrentAddressOnly(t *testing.T) {
	for name, c := range map[string]struct {
		reply reply
		login bool
		moved bool // another address is saved meanwhile
		want  bool
	}{
		"by an answer":        {delivered, false, false, true},
		"by login":            {serverError, true, false, true},
		"not yet":             {serverError, false, false, false},
		"for the old address": {delivered, false, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			withScript(t, nil, func(b *fixture) {
				if c.login {
					b.loop.SetService(b.newScriptClient(b.script, true))
				}
				b.script.answerAll(c.reply)
				b.script.set(func() { b.script.delay = time.Second })
				b.watch(1)
				if c.moved {
					err := b.store.UpdateAccount(b.Context(), "default", func(a *account.Row) { a.BaseURL = "https://other.example/api/v1" })
					if err != nil {
						b.Fatal(err)
					}
				}
				b.advance(time.Second)
				if got := b.accountRow().Proven; got != c.want {
					b.Errorf("proven is %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestResendKeepsItsIdempotencyKey(t *testing.T) {
	withScript(t, nil, func(b *fixture) {
		b.script.answerAll(retryLater)
		b.watch(1)
		b.script.answerAll(reply{status: 409, body: `{"error":"CONFLICT","message":"in use"}`}) // busy with the first
		b.watch(2)
		b.advance(time.Second)
		b.expectState(1, viewing.StateInDoubt, 2)
		b.expectState(2, viewing.StateRejected, 1)
		if s := b.script.sends; len(s) != 3 || s[0].key != s[2].key || s[0].watched != s[2].watched {
			b.Errorf("sends %+v", s)
		}
	})
}

func TestIdempotencyKeyIdentifiesTheEntry(t *testing.T) {
	base := queue.Entry{Source: "browser:1", EventID: "e", Account: "default"}
	key := idempotencyKey("i", base)
	same := base
	same.Source, same.Attempts, same.ID = "browser:2", 5, 9
	if len(key) != 64 || idempotencyKey("i", same) != key {
		t.Errorf("key %q; another browser with the same event has another one", key)
	}
	seen := map[string]string{key: "base", idempotencyKey("j", base): "installation"}
	for name, change := range map[string]func(*queue.Entry){
		"source":   func(e *queue.Entry) { e.Source = "kodi:1" },
		"event":    func(e *queue.Entry) { e.EventID = "f" },
		"part":     func(e *queue.Entry) { e.Part = 1 },
		"account":  func(e *queue.Entry) { e.Account = "other" },
		"revision": func(e *queue.Entry) { e.Revision = 1 },
		"shifted":  func(e *queue.Entry) { e.EventID, e.Account = "e,1:0,7:d", "efault" },
	} {
		e := base
		change(&e)
		seen[idempotencyKey("i", e)] = name
	}
	if len(seen) != 8 {
		t.Errorf("keys collide: %v", seen)
	}
}

// A day without a network is one warning, and the log contains no titles.
func TestOutageIsLoggedOnceWithoutTitles(t *testing.T) {
	var out bytes.Buffer
	withScript(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&out, nil)) }, func(b *fixture) {
		b.script.goOffline()
		v := filmAgo(1, 0)
		v.Media[0].Title = "Secret Title"
		b.commit(v)
		b.advance(24 * time.Hour)
		b.script.recover()
		b.advance(time.Hour)
		b.stop()
		text := out.String()
		if strings.Count(text, "level=WARN") != 1 || strings.Count(text, "account delivers again") != 1 || strings.Contains(text, "Secret") {
			b.Errorf("logged:\n%s", text)
		}
	})
}

// A captive portal of a hotel or an office responds instead of the service. Its response is
// never a delivery, causes no duplicates, and no redirect is followed.
func TestCaptivePortalDeliversNothing(t *testing.T) {
	html, page := "text/html", "<!doctype html><title>Welcome</title>"
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		doubts int64
	}{
		"a page":                  {200, map[string]string{"Content-Type": html}, page, 3},
		"a page as JSON":          {200, map[string]string{"Content-Type": "application/json"}, page, 3},
		"a redirect":              {307, map[string]string{"Location": "/login"}, "", 0},
		"a login for the network": {511, map[string]string{"Content-Type": html}, page, 0},
		"a page that says no":     {403, map[string]string{"Content-Type": html}, page, 0},
	} {
		t.Run(name, func(t *testing.T) {
			withSandbox(t, false, nil, func(b *fixture) {
				b.deliverAnchor()
				b.interceptWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					for name, value := range c.header {
						w.Header().Set(name, value)
					}
					w.WriteHeader(c.status)
					io.WriteString(w, c.body)
				}))
				for film := range int64(6) {
					b.commit(filmAgo(film+1, time.Duration(film)*26*time.Hour))
				}
				b.advance(10 * time.Minute)
				if n := b.counts(); n.Delivered != 1 || n.InDoubt != c.doubts || n.Rejected != 0 || b.requestCount("POST /login")+b.requestCount("GET /login") != 0 {
					b.Errorf("behind it: %+v, asked %v", n, b.requests)
				}
				b.interceptWith(nil)
				b.advance(24 * time.Hour)
				b.expectAllRecordedOnce(7)
			})
		})
	}
}
