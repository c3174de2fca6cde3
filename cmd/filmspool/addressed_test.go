package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A hint for the machine's service names it; a hint about somebody's service
// stays as it is.
func TestHintsAreForTheInstanceThatWasAsked(t *testing.T) {
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
		if got := p.addressed(hint); got != want {
			t.Errorf("%q becomes %q, want %q", hint, got, want)
		}
	}
	p.choice.System = false
	if got := p.addressed("filmspool login"); got != "filmspool login" {
		t.Errorf("without --system: %q", got)
	}
}

// The journal sorts by the number before a line; a terminal shows none.
func TestErrorsInTheJournal(t *testing.T) {
	for stream, want := range map[string]string{"": "error: A\n       b\nhint:  c\n", "8:1": "<3>error: A\n<3>       b\n<3>hint:  c\n"} {
		var out bytes.Buffer
		p := &program{stderr: terminal.To(&out), getenv: func(string) string { return stream }}
		if p.show(control.Refused(viewing.Said("a\nb"), viewing.Said("c"))); out.String() != want {
			t.Errorf("%q: %q", stream, out.String())
		}
	}
}

func TestSayService(t *testing.T) {
	since := time.Date(2026, 11, 21, 8, 59, 7, 0, time.Local)
	for name, c := range map[string]struct {
		s    service.Status
		says string
	}{
		"well": {
			service.Status{Installed: true, State: service.Running, PID: 4242, Since: since, Version: "1", Autostart: true},
			"running\n  process        4242\n  since          2026-11-21 08:59:07\n  version        1\n",
		},
		"little is known": {service.Status{Installed: true, State: service.Running, PID: 42, Autostart: true}, "running\n  process        42\n"},
		"until the logout": {
			service.Status{Installed: true, State: service.Stopped, Autostart: true, UntilLogout: true, Hint: "filmspool service start"},
			"stopped\nIt runs while you are logged in. To run it from boot to shutdown: filmspool service install --linger\nhint:  filmspool service start\n",
		},
		"not by itself": {
			service.Status{Installed: true, State: service.Stopped},
			"stopped\nIt does not start automatically. To change that: filmspool service install\n",
		},
		"crashes": {
			service.Status{Installed: true, State: service.Restarting, Restarts: 3, Autostart: true, Detail: viewing.Said("no disk"), Hint: "filmspool service logs"},
			"restarting\n  restarts       3\nno disk\nhint:  filmspool service logs\n",
		},
		"not installed": {service.Status{State: service.NotInstalled}, "not installed\n"},
	} {
		var out bytes.Buffer
		(&program{stdout: terminal.To(&out)}).sayService(c.s)
		if out.String() != c.says {
			t.Errorf("%s: %q, want %q", name, out.String(), c.says)
		}
	}
}
