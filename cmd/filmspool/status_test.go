package main

import (
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
)

// What a source would have a person do is told, though all else is fine. What
// the first lines say is not said twice.
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
