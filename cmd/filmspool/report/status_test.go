package report

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A browser's row begins with its name, whatever waits in it.
func TestStatusNamesABrowserInWhichViewingsWait(t *testing.T) {
	var out strings.Builder
	s := control.Status{Sources: []control.Source{
		{Name: "browser:1", Kind: viewing.SourceBrowser, State: account.Attention, Detail: "Chrome", Waiting: 13},
		{Name: "browser:2", Kind: viewing.SourceBrowser, State: account.OK, Detail: "Firefox"},
	}}
	if err := Status(terminal.To(&out), s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"browser Chrome    attention", "\n    waits there for your answer: 13 viewings\n", "browser Firefox   ok "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

// A site that looks different is told once, however many browsers tell of it.
func TestStatusTellsOnceOfASiteThatLooksDifferent(t *testing.T) {
	var out strings.Builder
	s := control.Status{Sources: []control.Source{
		{Name: "browser:1", Kind: viewing.SourceBrowser, Unread: []string{"Nordlicht", "Kino+"}},
		{Name: "browser:2", Kind: viewing.SourceBrowser, Unread: []string{"Nordlicht"}},
	}}
	if err := Status(terminal.To(&out), s); err != nil {
		t.Fatal(err)
	}
	for _, site := range []string{"Nordlicht", "Kino+"} {
		if want := "\n" + site + " looks different now; what you watch there is kept and asked.\n"; strings.Count(out.String(), want) != 1 {
			t.Errorf("not once %q in:\n%s", want, out.String())
		}
	}
}

// The rows of the table fit a terminal of 80 columns, whatever stands in them. A
// longer name has a line of its own, whole, so that it can be copied.
func TestStatusFitsATerminal(t *testing.T) {
	longAgo := time.Date(2020, 12, 31, 23, 59, 0, 0, time.Local)
	path := "/media/" + strings.Repeat("long", 10) + "/userdata"
	var out strings.Builder
	s := control.Status{
		Accounts: []control.Account{{Name: "default", State: account.Attention, LastDelivered: &longAgo, Reason: "Why."}},
		Sources: []control.Source{
			{Name: "kodi:" + path, State: account.Attention, LastSeen: &longAgo, Detail: "What."},
			{Name: "kodi:" + strings.Repeat("ü", widest-5), State: account.OK, LastSeen: &longAgo},
			{Name: "browser:1", Kind: viewing.SourceBrowser, State: account.OK, Detail: strings.Repeat("B", 100), LastSeen: &longAgo, Waiting: 13, Hint: "answer"},
		},
	}
	if err := Status(terminal.To(&out), s); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(out.String(), "\n\n") // behind the sentence
	rows := 0
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "kodi:"+path, line == "browser "+strings.Repeat("B", 100):
		case utf8.RuneCountInString(line) > 80:
			t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
		case strings.HasSuffix(line, "   last seen 2020-12-31 23:59"), strings.HasSuffix(line, "   last delivered 2020-12-31 23:59"):
			rows++
			if at := utf8.RuneCountInString(line[:strings.LastIndex(line, "last ")]); at != widest+3+len("attention")+3 {
				t.Errorf("the last column begins at %d: %q", at, line)
			}
		}
	}
	if rows != 4 || !strings.Contains(table, "kodi:"+path+"\n") {
		t.Errorf("%d rows:\n%s", rows, table)
	}
}

// What a source would have a person do is told, though all else is fine. What
// the first lines say is not said twice.
func TestStatusPrintsHintsOfSources(t *testing.T) {
	var out strings.Builder
	s := control.Status{Summary: "All is delivered.", Sources: []control.Source{
		{Name: "kodi:/k", State: account.OK, Hint: "raise the sysctl"}, {Name: "kodi:/l", State: account.OK},
	}}
	if err := Status(terminal.To(&out), s); err != nil || !strings.Contains(out.String(), "hint:  raise the sysctl\n") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	out.Reset()
	s.Hint = "raise the sysctl"
	if err := Status(terminal.To(&out), s); err != nil || strings.Count(out.String(), "raise the sysctl") != 1 {
		t.Errorf("%v:\n%s", err, out.String())
	}
}
