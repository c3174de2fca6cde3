package service

import (
	"os"
	"strings"
	"testing"
)

func TestParseWords(t *testing.T) {
	for name, c := range map[string]struct{ log, text, hint string }{
		"nothing":        {"", "", ""},
		"error and hint": {"error: it is taken\nhint:  filmspool service stop\n", "it is taken", "filmspool service stop"},
		"error alone":    {"error: it is taken\n", "it is taken", ""},
		"the last one":   {"error: one\nhint:  a\nerror: two\nhint:  b\n", "two", "b"},
		"many lines":     {"error: bad line\n3| x\n ~~~\nhint:  mend it\n", "bad line\n3| x\n ~~~", "mend it"},
		"a log line":     {"msg=\"the queue does not answer\" error=gone\n", `msg="the queue does not answer" error=gone`, ""},
		"a key":          {"error: sk_0123456789abcdef is refused\n", "(key) is refused", ""},
		"a terminal":     {"error: \x1b[2Jgone\n", "[2Jgone", ""},
	} {
		got := parseWords(c.log)
		if got.text != c.text || got.hint != c.hint {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Instead of systemctl's "see journalctl", start tells what the program said.
func TestStartSaysWhyNot(t *testing.T) {
	const failed = "LoadState=loaded\nActiveState=failed\nSubState=failed\nResult=exit-code\nExecMainPID=77\nExecMainStatus="
	const looping = "LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nResult=exit-code\nExecMainPID=77\nExecMainStatus="
	for name, c := range map[string]struct{ show, journal, says, hint string }{
		"its own words":     {failed + "78\n", "error: it is taken\nhint:  filmspool service stop\n", "it did not start: it is taken", "filmspool service stop"},
		"no hint of its":    {failed + "78\n", "error: it is taken\n", "it did not start: it is taken", "filmspool config check"},
		"no journal":        {failed + "1\n", "", "it did not start: it ended with exit code 1", "filmspool service logs"},
		"it is tried again": {looping + "1\n", "error: no disk\n", "it did not start: no disk; systemd tries again every few seconds", "filmspool service logs"},
		"another reason":    {"LoadState=loaded\nActiveState=inactive\n", "", "systemctl start: Job failed.", "filmspool service logs"},
	} {
		f := newFake(t, false)
		f.write("fail.start", "Job failed.", 0o644)
		f.write("show", c.show, 0o644)
		if c.journal != "" {
			f.write("journal", c.journal, 0o644)
		}
		err := f.unit.start(t.Context())
		if err == nil || err.Error() != c.says || hint(err) != c.hint {
			t.Errorf("%s: %v, hint %q", name, err, hint(err))
		}
	}
}

func TestStatusSaysWhyAndWhatNext(t *testing.T) {
	f := newFake(t, false)
	f.unit.lingers = f.dir
	f.show("LoadState=loaded", "ActiveState=activating", "SubState=auto-restart", "Result=exit-code", "ExecMainStatus=1", "ExecMainPID=77", "NRestarts=9")
	f.write("journal", "error: no disk\n", 0o644)
	s, err := f.unit.status(t.Context())
	want := "it ended with exit code 1; systemd started it again 9 times, and goes on: no disk"
	if err != nil || s.Detail != want || s.Hint != "filmspool service logs" || !s.UntilLogout {
		t.Errorf("%+v, %v", s, err)
	}
	f.write(userName(), "", 0o644)
	f.show("LoadState=loaded", "ActiveState=inactive", "SubState=dead")
	if s, err := f.unit.status(t.Context()); err != nil || s.UntilLogout || s.Hint != "filmspool service start" {
		t.Errorf("stopped and lingering: %+v, %v", s, err)
	}
}

// What may not be done, and who may.
func TestExplainHints(t *testing.T) {
	for name, c := range map[string]struct {
		system      bool
		wrote, hint string
	}{
		"no right":        {true, "Failed to start filmspool.service: Access denied", "filmspool --system service start"},
		"no agent":        {true, "Failed to start filmspool.service: Interactive authentication required.", "filmspool --system service start"},
		"masked, system":  {true, "Unit filmspool.service is masked.", "sudo systemctl unmask filmspool.service"},
		"masked":          {false, "Unit filmspool.service is masked.", "systemctl --user unmask filmspool.service"},
		"no manager":      {true, "Failed to connect to bus: No such file or directory", "filmspool run"},
		"no user manager": {false, "Failed to connect to user scope bus via local transport: No medium found", "enable-linger"},
	} {
		err := systemctl{user: !c.system}.explain("start", os.ErrInvalid, c.wrote)
		if !strings.Contains(hint(err), c.hint) {
			t.Errorf("%s: %v, hint %q", name, err, hint(err))
		}
	}
}

func TestLogsSayWhoMayRead(t *testing.T) {
	f := newFake(t, false)
	f.write("journalctl", "#!/bin/sh\necho 'No journal files were opened due to insufficient permissions.' >&2\nexit 1\n", 0o755)
	err := f.unit.logs(t.Context(), nil, false)
	if err == nil || !strings.HasPrefix(hint(err), "sudo journalctl --no-pager --lines=200 _SYSTEMD_USER_UNIT=filmspool.service _UID=") {
		t.Errorf("got %v, hint %q", err, hint(err))
	}
}

// A person sees their own lines of the machine's journal, and no error.
func TestLogsOfTheMachineWantRights(t *testing.T) {
	const notice = "#!/bin/sh\necho 'Hint: You are currently not seeing messages from other users and the system.' >&2\n"
	for _, system := range []bool{true, false} {
		f := newFake(t, system)
		f.write("journalctl", notice, 0o755)
		err := f.unit.logs(t.Context(), nil, false)
		if (err != nil) != system || system && hint(err) != "sudo journalctl --no-pager --lines=200 --unit=filmspool.service" {
			t.Errorf("system %v: %v, hint %q", system, err, hint(err))
		}
	}
}
