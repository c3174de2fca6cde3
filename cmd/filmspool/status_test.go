package main

import (
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// What a source would have a person do is told, though all else is fine. What
// the first lines say is not said twice.
// A browser's row begins with its name, whatever waits in it.
func TestStatusNamesABrowserInWhichViewingsWait(t *testing.T) {
	var out strings.Builder
	s := control.Status{Sources: []control.Source{
		{Name: "browser:1", Kind: viewing.SourceBrowser, State: account.Attention, Detail: "Chrome", Waiting: 13},
		{Name: "browser:2", Kind: viewing.SourceBrowser, State: account.OK, Detail: "Firefox"},
	}}
	if err := printStatus(printTo(&out), s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"browser Chrome    attention", "\n    waits there for your answer: 13 viewings\n", "browser Firefox   ok "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

func TestStatusPrintsHintsOfSources(t *testing.T) {
	var out strings.Builder
	s := control.Status{Summary: "All is delivered.", Sources: []control.Source{
		{Name: "kodi:/k", State: account.OK, Hint: "raise the sysctl"}, {Name: "kodi:/l", State: account.OK},
	}}
	if err := printStatus(printTo(&out), s); err != nil || !strings.Contains(out.String(), "hint:  raise the sysctl\n") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	out.Reset()
	s.Hint = "raise the sysctl"
	if err := printStatus(printTo(&out), s); err != nil || strings.Count(out.String(), "raise the sysctl") != 1 {
		t.Errorf("%v:\n%s", err, out.String())
	}
}
