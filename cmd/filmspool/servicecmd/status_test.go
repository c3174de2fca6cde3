package servicecmd

import (
	"bytes"
	"testing"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSayStatus(t *testing.T) {
	since := time.Date(2026, 11, 21, 8, 59, 7, 0, time.Local)
	for name, c := range map[string]struct {
		s    service.Status
		says string
	}{
		"well": {
			service.Status{Installed: true, State: service.Running, PID: 42, Since: since, Version: "1", Autostart: true},
			"running\nprocess 42 since 2026-11-21 08:59:07, version 1\n",
		},
		"little is known": {service.Status{Installed: true, State: service.Running, PID: 42, Autostart: true}, "running\nprocess 42\n"},
		"until the logout": {
			service.Status{Installed: true, State: service.Stopped, Autostart: true, UntilLogout: true, Hint: "filmspool service start"},
			"stopped\n" + untilLogout + "\nhint:  filmspool service start\n",
		},
		"not by itself": {
			service.Status{Installed: true, State: service.Stopped},
			"stopped\nIt does not start by itself. To change that: filmspool service install\n",
		},
		"a crash": {
			service.Status{Installed: true, State: service.Running, Restarts: 1, Autostart: true},
			"running\nrestarts after it ended by itself: 1\n",
		},
		"crashes": {
			service.Status{Installed: true, State: service.Restarting, Restarts: 3, Autostart: true, Detail: viewing.Say("said", "detail", "no disk"), Hint: "filmspool service logs"},
			"restarting\nrestarts after it ended by itself: 3\nno disk\nhint:  filmspool service logs\n",
		},
		"not installed": {service.Status{State: service.NotInstalled}, "not installed\n"},
	} {
		var out bytes.Buffer
		Program{Stdout: terminal.To(&out), Choice: &config.Choice{}}.sayStatus(c.s)
		if out.String() != c.says {
			t.Errorf("%s: %q, want %q", name, out.String(), c.says)
		}
	}
}
