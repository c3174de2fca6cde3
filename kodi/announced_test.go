package kodi

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The whole way from Kodi's port and its file: where an add-on writes what was
// watched elsewhere, a play that was announced is live.
func TestWhatWasAnnouncedIsLive(t *testing.T) {
	port, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer port.Close()
	userdata := filepath.Join(t.TempDir(), ".kodi", "userdata")
	must(t, os.MkdirAll(filepath.Join(library.AddOnFolder(userdata), "script.trakt"), 0o700))
	must(t, os.MkdirAll(userdata, 0o700))
	settings := fmt.Sprintf("<advancedsettings><jsonrpc><tcpport>%d</tcpport></jsonrpc></advancedsettings>", port.Addr().(*net.TCPAddr).Port)
	must(t, os.WriteFile(filepath.Join(userdata, "advancedsettings.xml"), []byte(settings), 0o600))
	h, s := newHome(t, userdata), newSink()
	i := run(t, h.dir, s)
	i.reach(t, StateOK, time.Time{})
	if i.Status().Heard {
		t.Error("heard before Kodi has said anything")
	}

	kodi, err := port.Accept()
	must(t, err)
	defer kodi.Close()
	_, err = fmt.Fprintf(kodi, `{"method":"VideoLibrary.OnUpdate","params":{"data":{"item":{"id":%[1]d,"type":"movie"},"playcount":1}}}`+
		`{"method":"Player.OnStop","params":{"data":{"end":true,"item":{"id":%[1]d,"type":"movie"}}}}`, h.film.ID)
	must(t, err)
	for deadline := time.Now().Add(patience); !i.Status().Heard && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	must(t, h.sim.Play(h.film, time.Now().UTC()))
	if v := s.next(t); v.Class != viewing.ClassLive {
		t.Errorf("announced as played: %+v", v)
	}
	must(t, h.sim.Play(h.double, time.Now().UTC().Add(-5*time.Second)))
	if v := s.next(t); v.Class != viewing.ClassReview {
		t.Errorf("not announced: %+v", v)
	}
}
