//go:build long

package notify

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/filmspool/filmspool/daemon/control"
)

// sessionBus starts a bus as a login does, and returns its address.
func sessionBus(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Fatal("dbus-daemon is not installed: apt-get install dbus-daemon")
	}
	bus := exec.Command(program, "--session", "--nofork", "--nopidfile", "--print-address", "--address=unix:path="+filepath.Join(t.TempDir(), "bus"))
	out, err := bus.StdoutPipe()
	if err == nil {
		err = bus.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bus.Process.Kill() // it may have ended
		_ = bus.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// screen is what shows notices on a desktop.
type screen struct {
	turn  sync.Mutex
	can   []string
	hangs chan struct{}
	shown []string
	hints map[string]dbus.Variant
}

func (s *screen) GetCapabilities() ([]string, *dbus.Error) {
	if s.hangs != nil {
		<-s.hangs
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.can, nil
}

func (s *screen) Notify(app string, _ uint32, _, title, text string, _ []string, hints map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	s.shown, s.hints = append(s.shown, app+"|"+title+"|"+text), hints
	return 1, nil
}

// use has it show what comes over a bus.
func (s *screen) use(t *testing.T, address string) {
	t.Helper()
	const name = "org.freedesktop.Notifications"
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.Export(s, "/org/freedesktop/Notifications", name); err != nil {
		t.Fatal(err)
	}
	if reply, err := conn.RequestName(name, dbus.NameFlagDoNotQueue); err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(reply, err)
	}
}

// desktop is the way over a bus.
func desktop(t *testing.T, address string) func(context.Context, Notice) error {
	t.Helper()
	send, err := Desktop(func(name string) string {
		return map[string]string{"DBUS_SESSION_BUS_ADDRESS": address}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	return send
}

func TestTheDesktopShowsANotice(t *testing.T) {
	address := sessionBus(t)
	send := desktop(t, address)
	n := Notice{Title: "Filmspool", Text: "<b>Anna</b> & Ben", Severity: control.NeedsYou}
	if err := send(t.Context(), n); err == nil || err.Error() != "nobody shows notices on this desktop, or nobody is logged in" {
		t.Errorf("without a screen: %v", err)
	}
	s := &screen{can: []string{"body", "body-markup"}}
	s.use(t, address)
	for want, can := range map[string][]string{
		"Filmspool|Filmspool|&lt;b&gt;Anna&lt;/b&gt; &amp; Ben": {"body", "body-markup"},
		"Filmspool|Filmspool|<b>Anna</b> & Ben":                 {"body"},
	} {
		s.turn.Lock()
		s.can = can
		s.turn.Unlock()
		err := send(t.Context(), n)
		s.turn.Lock()
		if err != nil || s.shown[len(s.shown)-1] != want || s.hints["urgency"].Value() != byte(2) {
			t.Errorf("%v, %q, %v, want %q", err, s.shown, s.hints, want)
		}
		s.turn.Unlock()
	}
}

func TestADesktopThatDoesNotAnswerIsLeft(t *testing.T) {
	address := sessionBus(t)
	s := &screen{hangs: make(chan struct{})}
	defer close(s.hangs)
	s.use(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := desktop(t, address)(ctx, Notice{}); err == nil || err.Error() != "the desktop did not answer within 10s" {
		t.Error(err)
	}
}

// TestWithoutASessionThereIsNoDesktop: nothing is started, and nothing goes over the network.
func TestWithoutASessionThereIsNoDesktop(t *testing.T) {
	folder := t.TempDir()
	for _, env := range []map[string]string{
		{},
		{"XDG_RUNTIME_DIR": folder},
		{"DBUS_SESSION_BUS_ADDRESS": "autolaunch:"},
		{"DBUS_SESSION_BUS_ADDRESS": "tcp:host=127.0.0.1,port=1"},
		{"DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/sh"},
	} {
		if _, err := Desktop(func(name string) string { return env[name] }); err == nil {
			t.Errorf("%v: there is a desktop", env)
		}
	}
	if err := desktop(t, "unix:path="+filepath.Join(folder, "none"))(t.Context(), Notice{}); err == nil || !strings.Contains(err.Error(), "the session bus cannot be reached") {
		t.Error(err)
	}
}
