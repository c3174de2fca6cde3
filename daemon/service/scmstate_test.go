package service

import "testing"

func TestSCMStatus(t *testing.T) {
	wrong := record{State: Failed, Detail: "bad configuration"}
	for _, c := range []struct {
		name        string
		state, code uint32
		said        record
		want        State
		detail      string
	}{
		{"never started", 1, 1077, record{}, Stopped, ""},
		{"stopped by hand", 1, 0, record{State: Stopped}, Stopped, ""},
		{"killed", 1, 1067, record{State: Running}, Failed, "Windows starts it again: its process was ended (Windows error 1067)"},
		{"failed", 1, 1067, record{State: Failed, Detail: "the disk is full"}, Failed, "Windows starts it again: the disk is full"},
		{"wrong configuration", 1, 0, wrong, Failed, notAgain + "bad configuration"},
		{"running, and failed before", 4, 0, wrong, Running, ""},
		{"starting", 2, 0, record{}, Starting, ""},
		{"stopping", 3, 0, record{}, Stopping, ""},
		{"paused by somebody", 7, 0, record{}, Stopped, "it is paused by the Windows service manager"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scmStatus(c.state, c.code, c.said)
			if s.State != c.want || s.Detail != c.detail || !s.Installed {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// The one such identifier that every Windows shows: icacls C:\Windows.
func TestServiceSID(t *testing.T) {
	const want = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"
	if got := serviceSID("TrustedInstaller"); got != want {
		t.Errorf("got %s", got)
	}
}

func TestInside(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\Users\kid\filmspool.exe`:               true,
		`c:\users\KID\AppData\filmspool.exe`:       true,
		`C:/Users/kid/filmspool.exe`:               true,
		`C:\Users\kidney\filmspool.exe`:            false,
		`C:\Program Files\Filmspool\filmspool.exe`: false,
	} {
		if got := inside(path, `C:\Users\kid`); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if inside(`C:\filmspool.exe`, "") {
		t.Error("everything lies in no folder")
	}
}

func TestHostOfArguments(t *testing.T) {
	args := withHost([]string{"run", "--service-host=login", "--system"}, hostChild)
	if len(args) != 3 || args[1] != "--system" || hostMode(args) != hostChild {
		t.Errorf("got %q", args)
	}
	if mode := hostMode([]string{"run"}); mode != "" {
		t.Errorf("a person is %q", mode)
	}
}
