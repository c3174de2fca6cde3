package daemon

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestAWaitingEntrySaysWhatItWaitsFor(t *testing.T) {
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	local := func(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05") }
	none, elder := queue.Entry{}, queue.Entry{ID: 3, State: viewing.StateInDoubt}
	for _, c := range []struct {
		account   control.Account
		ahead     queue.Entry
		next      time.Time
		why, hint string
	}{
		{control.Account{State: account.Paused, Hint: "filmspool resume"}, elder, later, "The account is paused.", "filmspool resume"},
		{control.Account{State: account.Attention, Reason: "The key is refused", Hint: "filmspool login"}, elder, time.Time{}, "The key is refused.", "filmspool login"},
		{control.Account{State: account.Offline, Reason: "The service cannot be reached."}, none, time.Time{}, "The service cannot be reached.", ""},
		{control.Account{State: account.Offline, Reason: "No network", NextTry: &later}, none, time.Time{}, "No network. It is tried again at " + local(later) + ".", ""},
		{control.Account{State: account.Offline, Reason: "No network", NextTry: &now}, none, time.Time{}, "No network.", ""},
		{control.Account{State: account.OK}, elder, later, "Entry 3 comes first, and is in doubt.", "filmspool queue show 3"},
		{control.Account{State: account.OK}, none, later, "It is sent at " + local(later) + ".", "filmspool queue retry 7"},
		{control.Account{State: account.OK}, none, now, "It is sent in a moment.", ""},
	} {
		why, hint := control.WaitingFor(entry.Explanation{Entry: queue.Entry{ID: 7, NextAt: c.next}, Ahead: c.ahead}, c.account, now)
		if why != c.why || hint != c.hint {
			t.Errorf("%+v: %q, %q; want %q, %q", c.account, why, hint, c.why, c.hint)
		}
	}
}

// An entry that a person has to decide about names the command for it.
func TestADeadEndNamesItsWayOut(t *testing.T) {
	for _, c := range []struct {
		state           viewing.State
		reason, command string
	}{
		{"in_doubt", "", "filmspool queue settle 7 --as delivered"},
		{"rejected", "", "filmspool queue edit 7"},
		{"delivered", "", "filmspool queue undo 7"},
		{"held", viewing.ReasonUnresolved, "filmspool queue edit 7"},
		{"held", viewing.ReasonBulk, "filmspool queue release 7"},
		{"held", viewing.ReasonUser, "filmspool queue release 7"},
		{"held", viewing.ReasonFuture, "filmspool queue edit 7"},
		{"dropped", viewing.ReasonFiltered, "filmspool queue release 7"},
		{"dropped", "", "filmspool queue release 7"}, // by a person
	} {
		why, hint := control.Advice(queue.Entry{ID: 7, State: c.state, Reason: c.reason})
		if why == "" || !strings.Contains(hint, c.command) {
			t.Errorf("%s (%s): %q, %q; want %s", c.state, c.reason, why, hint, c.command)
		}
	}
}

// TestAFullDiskIsWhyNothingIsSent: an entry that waits says what the status says.
func TestAFullDiskIsWhyNothingIsSent(t *testing.T) {
	full := &disk.Trouble{Cause: syscall.ENOSPC}
	d := &Daemon{waiting: full, o: Options{Paths: config.Paths{State: "/state"}}}
	var x control.Explanation
	x.State = viewing.StatePending
	if err := (&api{d: d}).advise(t.Context(), &x); err != nil {
		t.Fatal(err)
	}
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := health.Judge(catalogue.In(""), health.Conditions{Now: time.Now(), Status: &control.Status{
		Storage: &control.Storage{Trouble: health.OfDisk(full, "/state")},
	}})
	if x.Why == "" || !strings.HasPrefix(s.Summary, x.Why) || x.Hint != s.Hint {
		t.Errorf("the entry says %q, %q; the status says %q, %q", x.Why, x.Hint, s.Summary, s.Hint)
	}
}

// TestWhatDoesNotRunIsStartedAsHere: in a container there is no service, and the
// machine's is root's.
func TestWhatDoesNotRunIsStartedAsHere(t *testing.T) {
	t.Setenv("container", "oci")
	for _, system := range []bool{false, true} {
		o := testOptions(t)
		o.Paths.System = system
		want := service.StartHint(system)
		d, err := New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		err = d.withQueue(t.Context(), func(ctx context.Context) error {
			x, err := d.Control().Explain(ctx, addFilm(t, d, "one").ID)
			if x.Hint != want {
				t.Errorf("an entry: %q", x.Hint)
			}
			return err
		})
		if err := errors.Join(err, d.Close()); err != nil {
			t.Fatal(err)
		}
		var fault *control.Fault
		if _, err := Find(t.Context(), o.Paths); !errors.As(err, &fault) || fault.Code != control.CodeNotRunning || fault.Hint != want {
			t.Errorf("nothing is found: %v", err)
		}
		if err := os.WriteFile(o.Paths.Database(), []byte(strings.Repeat("no database", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		err = Reading(t.Context(), o, func(control.API) error { return nil })
		if !errors.As(err, &fault) || !strings.HasPrefix(fault.Hint, want+"; ") {
			t.Errorf("a damaged queue: %v", err)
		}
	}
}

// TestAWaitingEntrySaysWhatTheStatusSays: one who asks why nothing is sent hears
// the same from both.
func TestAWaitingEntrySaysWhatTheStatusSays(t *testing.T) {
	offlineDaemon(t, func(ctx context.Context, d *Daemon, _ func()) {
		d.pairing = &pairing.Registry{} // as if it ran whole
		e := addFilm(t, d, "one")
		compare := func(want account.State, say func(control.Account) string) {
			t.Helper()
			settled(t, d, string(want), func() bool {
				s, err := d.Control().Status(ctx)
				x, err2 := d.Control().Explain(ctx, e.ID)
				if err := errors.Join(err, err2); err != nil {
					t.Fatal(err)
				}
				a := s.Accounts[0]
				return a.State == want && a.Reason != "" && x.Why == say(a) && x.Hint == a.Hint
			})
		}
		compare(account.Offline, func(a control.Account) string {
			if a.NextTry == nil {
				return ""
			}
			return strings.TrimSuffix(a.Reason, ".") + ". It is tried again at " + a.NextTry.Local().Format("2006-01-02 15:04:05") + "."
		})
		if _, err := d.Control().Pause(ctx, control.Pause{}); err != nil {
			t.Fatal(err)
		}
		compare(account.Paused, func(control.Account) string { return "The account is paused." })
	})
}

// TestNoStateIsWithoutWords: an account that is being asked has no trouble to
// name yet.
func TestNoStateIsWithoutWords(t *testing.T) {
	c := config.Credential{Account: "default", BaseURL: "https://tracker.example/api/v1", URLSource: "login", KeySource: "key file"}
	for _, h := range []replay.Health{
		{State: account.Offline},
		{State: account.Offline, Reason: "No network."},
		{State: account.NoKey},
		{State: account.Attention, Reason: "The key is refused.", Pause: account.PausedKey, Hint: "filmspool login"},
	} {
		a := standing(h, c, "there is no key", "/c.toml")
		if a.Reason == "" || a.State == account.NoKey || h.State != account.Offline && a.Hint == "" {
			t.Errorf("%+v: %+v", h, a)
		}
	}
}
