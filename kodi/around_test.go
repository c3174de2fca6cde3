package kodi

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The whole way, from Kodi's settings and its file.
func TestZoneOfKodiAndTimeOfTheFile(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	text := `<settings version="2"><setting id="locale.timezone" default="true">Asia/Kolkata</setting></settings>`
	must(t, os.WriteFile(filepath.Join(h.dir, "guisettings.xml"), []byte(text), 0o600))
	i := importerOf(t, h.dir, s)
	i.o.Zone, i.machine = nil, time.UTC
	kolkata := func(ago time.Duration) time.Time { return time.Now().Add(-ago).In(location(t, "Asia/Kolkata")) }
	expect := func(class viewing.Class, note string) {
		t.Helper()
		i.event.Store(true)
		i.pass(t.Context())
		if v := s.next(t); v.Class != class || v.Origin.Note.Code != note {
			t.Errorf("got %+v, want %s with %q", v, class, note)
		}
	}
	i.pass(t.Context())
	must(t, h.sim.Play(h.film, kolkata(time.Second)))
	expect(viewing.ClassLive, "note.live")
	must(t, h.sim.Play(h.double, kolkata(30*time.Second)))
	expect(viewing.ClassBackdated, "note.before")
	must(t, h.sim.Play(h.film, kolkata(-5*time.Hour-30*time.Minute))) // this minute at UTC+11
	expect(viewing.ClassReview, "note.future")
}
