package daemon

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestAWaitingEntrySaysWhatItWaitsFor(t *testing.T) {
	now := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	for _, c := range []struct {
		account   control.Account
		next      time.Time
		why, hint string
	}{
		{control.Account{State: account.Paused, Hint: "filmspool resume"}, later, "The account is paused.", "filmspool resume"},
		{control.Account{State: account.Attention, Reason: "The key is refused", Hint: "filmspool login"}, time.Time{}, "The key is refused.", "filmspool login"},
		{control.Account{State: account.Offline, Reason: "The service cannot be reached."}, time.Time{}, "The service cannot be reached.", ""},
		{control.Account{State: account.OK}, later, "It is sent at " + later.Local().Format("2006-01-02 15:04:05") + ".", "filmspool queue retry 7"},
		{control.Account{State: account.OK}, now, "It is sent in a moment.", ""},
	} {
		why, hint := waitingFor(queue.Entry{ID: 7, State: "pending", NextAt: c.next}, c.account, now)
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
		{"held", viewing.ReasonDamaged, "filmspool queue drop 7"},
		{"dropped", viewing.ReasonFiltered, "filmspool queue release 7"},
	} {
		why, hint := advice(queue.Entry{ID: 7, State: c.state, Reason: c.reason})
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
	var s control.Status
	putFirst(&s, full, "/state")
	if x.Why == "" || !strings.HasPrefix(s.Summary, x.Why) || x.Hint != s.Hint {
		t.Errorf("the entry says %q, %q; the status says %q, %q", x.Why, x.Hint, s.Summary, s.Hint)
	}
}
