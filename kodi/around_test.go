package kodi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The whole way, from Kodi's settings and its file.
func TestZoneOfKodiAndTimeOfTheFile(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	text := `<settings version="2"><setting id="locale.timezone" default="true">Asia/Kolkata</setting></settings>`
	must(t, os.WriteFile(filepath.Join(h.dir, "guisettings.xml"), []byte(text), 0o600))
	i, err := New(Options{Library: at(h.dir), Sink: s, Account: account{}})
	must(t, err)
	i.machine = time.UTC
	kolkata := func(ago time.Duration) time.Time { return time.Now().Add(-ago).In(location(t, "Asia/Kolkata")) }
	expect := func(class viewing.Class, note string) {
		t.Helper()
		i.event.Store(true)
		i.pass(t.Context())
		if v := s.next(t); v.Class != class || !strings.Contains(v.Origin.Note, note) {
			t.Errorf("got %+v, want %s with %q", v, class, note)
		}
	}
	i.pass(t.Context())
	must(t, h.sim.Play(h.film, kolkata(time.Second)))
	expect(viewing.ClassLive, "seen live")
	must(t, h.sim.Play(h.double, kolkata(30*time.Second)))
	expect(viewing.ClassBackdated, "Kodi writes a playback within seconds")
	must(t, h.sim.Play(h.film, kolkata(-5*time.Hour-30*time.Minute))) // this minute at UTC+11
	expect(viewing.ClassReview, "lies in the future")
}

// A clock that is wrong holds every playback. After some of them the source
// says so.
func TestWrongClockIsTold(t *testing.T) {
	for _, tt := range []struct {
		off        time.Duration
		code, span string
		zone       bool
	}{
		{-3 * time.Minute, "clockBehind", "3 min", false},
		{-40 * 24 * time.Hour, "clockBehind", "40 days", false},
		{10 * time.Minute, "clockAhead", "10 min", false},
		{-5 * time.Hour, "clockBehind", "5 h 0 min", true},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &shelfReader{files: list(film(1, 0, ""), film(2, 0, ""), film(3, 0, ""), film(4, 0, ""))}
			i := newImporter(t, newSink(), r)
			i.pass(t.Context())
			for n := range int64(3) {
				if st := i.Status(); st.Clock.Code != "" {
					t.Errorf("after %d: %v", n, st.Clock)
				}
				time.Sleep(3 * time.Hour)
				i.confirm(t.Context(), time.Now())
				time.Sleep(30 * time.Second)
				r.files[n] = film(n+1, 1, time.Now().Add(tt.off).UTC().Format(time.DateTime))
				i.pass(t.Context())
			}
			if st := i.Status(); st.Clock.Code != tt.code || st.Clock.Args["span"] != tt.span || st.ZoneWrong != tt.zone {
				t.Errorf("%v off: %v, zone %v", tt.off, st.Clock, st.ZoneWrong)
			}
			time.Sleep(30 * time.Second)
			r.files[3] = film(4, 1, local())
			i.pass(t.Context())
			if st := i.Status(); st.Clock.Code != "" {
				t.Errorf("after a playback at the right time: %v", st.Clock)
			}
		})
	}
}
