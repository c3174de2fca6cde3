package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// columnsOf is how many columns a text takes: "千" takes two.
func columnsOf(text string) int { return len([]rune(text)) + strings.Count(text, "千") }

// TestTablesFitEveryTerminal of 40 to 200 columns, and the id, the state and the
// time of each row stay whole. Its width is asked, and COLUMNS wins.
func TestTablesFitEveryTerminal(t *testing.T) {
	s := newScreen(t)
	p := &program{stdout: terminal.To(s.their)}
	ago := time.Date(2026, 3, 1, 20, 15, 0, 0, time.Local)
	title := strings.Repeat("千と one long title ", 6)
	one := control.Explanation{Explanation: entry.Explanation{Entry: entry.Entry{
		ID: 1234567, Kind: viewing.KindViewing, State: viewing.StateHeld, Reason: viewing.ReasonUnresolved, Source: "browser:7", Account: viewing.DefaultAccount,
		Media: &viewing.Media{Type: viewing.Movie, Title: title, Year: 2001}, WatchedAt: entry.Moment{Instant: viewing.At(ago)}, CreatedAt: ago,
	}}}
	other := one.Entry
	other.ID, other.Account, other.Media = 7, "somebody", &viewing.Media{Type: viewing.Movie, Title: "Up"}
	one.Why = "It has no identifier that the service takes, and its title alone is not certain enough to be sent."
	one.Events = []entry.Witness{{At: ago, Source: "browser:7", EventID: "74RRQQLBFP4R3VU55GH7YOSSU7"}}
	one.Steps = []entry.Step{{At: ago, What: "rule", Detail: one.Why}}
	one.Requests = []entry.Attempt{{At: ago, Status: 503, Answer: strings.Repeat("gateway", 30)}}
	film := identity.Candidate{Type: viewing.Movie, TMDB: 1234567, Title: title, Year: 2001}
	one.Candidates = []identity.Candidate{film}
	status := control.Status{
		Accounts: []control.Account{{Name: "default", State: account.Attention, LastDelivered: &ago, Reason: one.Why, Counts: &entry.Counts{Delivered: 12_345}}},
		Sources:  []control.Source{{Name: "kodi:/media/" + strings.Repeat("long/", 20), Kind: "kodi", State: account.Attention, LastSeen: &ago, Detail: one.Why}},
	}
	for name, c := range map[string]struct {
		print func() error
		whole []string // what no line break stands in
	}{
		"queue list": {func() error { return report.Entries(p.stdout, []entry.Entry{one.Entry, other}) }, []string{"1234567", "held (unresolved)", "2026-03-01 20:15", "somebody"}},
		"queue show": {func() error { return report.Explanation(p.stdout, one) }, []string{"held  unresolved", "may be", "1234567", "2026-03-01 20:15:00"}},
		"rules list": {func() error {
			return report.Corrections(p.stdout, []identity.Correction{{ID: 1234567, Told: identity.Clue{Kind: viewing.Movie, Title: title}, Is: film, Since: ago}})
		}, []string{"1234567", "2026-03-01"}},
		"fix": {func() error { return report.Candidates(p.stdout, []identity.Candidate{film}) }, []string{"1234567", "film", "2001"}},
		"clients list": {func() error {
			return report.Clients(p.stdout, []control.ClientInfo{{ID: "0123456789abcdef", Label: title, Kind: viewing.SourceBrowser, Browser: "Chromium", PairedAt: ago, LastSeen: &ago}})
		}, []string{"0123456789abcdef", "browser", "2026-03-01 20:15"}},
		"status": {func() error { return report.Status(p.stdout, status) }, []string{"attention", "last seen 2026-03-01 20:15", "delivered 12345"}},
		"kodi scan": {func() error {
			report.Found(p.stdout, "new", []scan.Found{{Media: []viewing.Media{*one.Media}, WatchedAt: ago, Note: one.Why}})
			return nil
		}, []string{"2026-03-01 20:15:00"}},
	} {
		for columns := 40; columns <= 200; columns++ {
			size := unix.Winsize{Col: uint16(columns), Row: 24}
			env := ""
			if columns%2 == 0 {
				size.Col, env = 999, strconv.Itoa(columns)
			}
			t.Setenv("COLUMNS", env)
			mark := fmt.Sprintf("end of %s %d", name, columns)
			s.mu.Lock()
			s.shown.Reset()
			s.mu.Unlock()
			err := errors.Join(unix.IoctlSetWinsize(int(s.their.Fd()), unix.TIOCSWINSZ, &size), c.print())
			if p.stdout.Println(mark); err != nil {
				t.Fatal(err)
			}
			s.until(mark + "\n")
			text, _, _ := strings.Cut(s.text(), mark)
			for line := range strings.Lines(text) {
				if n := columnsOf(strings.TrimRight(line, "\n")); n > columns {
					t.Fatalf("%s takes %d columns of %d: %q", name, n, columns, line)
				}
			}
			for _, want := range c.whole {
				if !strings.Contains(text, want) {
					t.Fatalf("%s on %d columns breaks or leaves out %q:\n%s", name, columns, want, text)
				}
			}
		}
	}
	t.Setenv("COLUMNS", "40")
	pipe, err := os.CreateTemp(t.TempDir(), "pipe")
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	p.stdout = terminal.To(pipe)
	err = report.Entries(p.stdout, []entry.Entry{one.Entry})
	text, readErr := os.ReadFile(pipe.Name())
	if err != nil || readErr != nil || strings.Count(string(text), "\n") != 2 || !strings.Contains(string(text), strings.TrimSpace(title)) {
		t.Errorf("a file has other lines: %v, %v\n%s", err, readErr, text)
	}
}
