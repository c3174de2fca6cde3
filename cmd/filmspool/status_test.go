package main

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/status"
	"github.com/filmspool/filmspool/queue/viewing"
)

// What a source would have a person do is told, though all else is fine. What
// the first lines say is not said twice.
func TestStatusPrintsHintsOfSources(t *testing.T) {
	var out strings.Builder
	s := status.Status{Summary: "All is delivered.", Sources: []status.Source{
		{Name: "kodi:/k", State: status.OK, Hint: "raise the sysctl"}, {Name: "kodi:/l", State: status.OK},
	}}
	if err := printStatus(printTo(&out), s); err != nil || !strings.Contains(out.String(), "\nkodi:/k\nhint:  raise the sysctl\n") {
		t.Errorf("%v:\n%s", err, out.String())
	}
	out.Reset()
	s.Hint = "raise the sysctl"
	if err := printStatus(printTo(&out), s); err != nil || strings.Count(out.String(), "raise the sysctl") != 1 {
		t.Errorf("%v:\n%s", err, out.String())
	}
}

// The story of an entry says which instants it is about, and what to type.
func TestExplanationNamesInstantsAndCommands(t *testing.T) {
	at := time.Date(2026, 3, 1, 20, 15, 0, 0, time.UTC)
	e := status.Explanation{
		Entry:  status.Entry{ID: 17, Kind: viewing.KindViewing, State: "held", Reason: "bulk", WatchedAt: &at},
		Events: []status.Event{{At: at}}, Steps: []status.Step{{At: at}}, Requests: []status.Request{{At: at}},
	}
	var out strings.Builder
	p := &program{stdout: printTo(&out)}
	if err := p.printExplanation(e); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), at.Local().Format("2006-01-02 15:04:05 -07:00")); n != 4 {
		t.Errorf("%d instants with their offset, want 4:\n%s", n, out.String())
	}
	for _, command := range []string{"filmspool queue release 17", "filmspool queue release --reason bulk", "filmspool queue drop 17"} {
		if !strings.Contains(out.String(), command) {
			t.Errorf("it does not name %s:\n%s", command, out.String())
		}
	}
	out.Reset()
	e.State, e.Reason = "delivered", ""
	if err := p.printExplanation(e); err != nil || strings.Contains(out.String(), "next") {
		t.Errorf("%v:\n%s", err, out.String())
	}
}
