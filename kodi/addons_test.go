package kodi

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Where an add-on syncs, what it may have written is held: marks one at a time,
// and times in the gap while nobody watched.
func TestWhatAnAddOnMayHaveWrittenIsHeld(t *testing.T) {
	for _, tt := range []struct {
		name string
		with addOns
		says string
	}{
		{"writes", addOns{writers: []string{"plugin.video.jellyfin"}}, "plugin.video.jellyfin of this Kodi may have written it"},
		{"reports", addOns{reporters: []string{"script.tracker"}}, "script.tracker of this Kodi reports to the same service"},
	} {
		z := around{machine: location(t, "America/New_York"), addOns: tt.with}
		known := &memory{meta: meta{ID: "lib"}, files: map[string]record{}}
		files := shelf(4, 0, "")
		read := func(at string) []viewing.Viewing {
			v := decide(known, shown(files...), moment(t, at), z)
			known = reload(t, known, v)
			return v.viewings
		}
		read("2026-03-02 02:00:00")
		for n, at := range []string{"2026-03-02 02:01:00", "2026-03-02 02:01:06", "2026-03-02 09:00:00"} {
			end := moment(t, at).Add(-time.Second)
			if n == 2 {
				end = end.Add(-3 * time.Hour) // while nobody watched
			}
			files[n].PlayCount, files[n].LastPlayed = 1, end.In(z.machine).Format(time.DateTime)
			got := read(at)
			if len(got) != 1 || got[0].Class != viewing.ClassReview || !strings.Contains(got[0].Origin.Note, tt.says) {
				t.Errorf("%s: %+v", tt.name, got)
			}
		}
		files[2].PlayCount, files[2].LastPlayed = 2, "2026-03-02 04:00:07"
		if got := read("2026-03-02 09:00:08"); len(got) != 1 || got[0].Class != viewing.ClassReview {
			t.Errorf("played again: %+v", got)
		}
		files[2].PlayCount, files[2].LastPlayed = 3, "2026-03-02 04:00:14"
		if got := read("2026-03-02 09:00:15"); len(got) != 1 || got[0].SameAs == "" {
			t.Errorf("the same sitting is asked about again: %+v", got)
		}
	}
}

// An add-on that is installed while the importer runs counts at once.
func TestAddOnsAreFoundBeforeTheyCount(t *testing.T) {
	userdata := filepath.Join(t.TempDir(), ".kodi", "userdata")
	must(t, os.MkdirAll(library.AddOns(userdata), 0o700))
	synctest.Test(t, func(t *testing.T) {
		s, r := newSink(), &shelfReader{files: list(film(1, 0, ""), film(2, 0, ""))}
		i, err := New(Options{Userdata: userdata, Zone: time.UTC, Sink: s, Read: r.read, Hosts: func() []string { return nil }})
		must(t, err)
		i.pass(t.Context())
		time.Sleep(time.Minute)
		r.files[0] = film(1, 1, local())
		i.pass(t.Context())
		must(t, os.MkdirAll(filepath.Join(library.AddOns(userdata), "script.trakt"), 0o700))
		must(t, os.Chtimes(library.AddOns(userdata), time.Now(), time.Now()))
		time.Sleep(time.Minute)
		r.files[1] = film(2, 1, local())
		i.pass(t.Context())
		got := s.viewings()
		if len(got) != 2 || got[0].Class != viewing.ClassLive || got[1].Class != viewing.ClassReview {
			t.Errorf("got %+v", got)
		}
		if w := i.Status().Writers; !slices.Equal(w, []string{"script.trakt"}) {
			t.Errorf("status has %v", w)
		}
	})
}
