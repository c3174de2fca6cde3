package main

import (
	"bytes"
	"testing"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A hint gets --system for the machine-wide service; a hint about a service stays unchanged.
func TestHintsSelectTheInstance(t *testing.T) {
	p := &program{}
	p.choice.System = true
	for hint, want := range map[string]string{
		"filmspool login":                                     "filmspool --system login",
		"filmspool diary; filmspool show 1":                   "filmspool --system diary; filmspool --system show 1",
		"sudo filmspool --system service start":               "sudo filmspool --system service start",
		"runuser -u kid -- filmspool service stop":            "runuser -u kid -- filmspool service stop",
		"sudo usermod -aG filmspool $USER, then log in again": "sudo usermod -aG filmspool $USER, then log in again",
		"give ids, or filters, or --all":                      "give ids, or filters, or --all",
	} {
		if got := p.addSystemFlag(hint); got != want {
			t.Errorf("%q becomes %q, want %q", hint, got, want)
		}
	}
	p.choice.System = false
	if got := p.addSystemFlag("filmspool login"); got != "filmspool login" {
		t.Errorf("without --system: %q", got)
	}
}

// Errors in the journal start with a priority; on a terminal they do not.
func TestErrorsInTheJournal(t *testing.T) {
	for stream, want := range map[string]string{"": "error: A\n       b\nhint:  c\n", "8:1": "<3>error: A\n<3>       b\n<3>hint:  c\n"} {
		var out bytes.Buffer
		p := &program{stderr: terminal.To(&out), getenv: func(string) string { return stream }}
		if p.show(control.Refused(viewing.Verbatim("a\nb"), viewing.Verbatim("c"))); out.String() != want {
			t.Errorf("%q: %q", stream, out.String())
		}
	}
}
