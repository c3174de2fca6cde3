package kodi

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A state that another program writes is never taken for a playback, whatever
// zone it was meant for, while the importer watches.
func TestStatesOfOthersAreNotLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*time.Location
		for _, name := range []string{"UTC", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Pacific/Auckland"} {
			zone, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, zone)
		}
		pick := func(label string) *time.Location { return rapid.SampledFrom(all).Draw(t, label) }
		z := around{machine: pick("machine")}
		switch rapid.SampledFrom([]string{"configured", "Kodi's", "machine's"}).Draw(t, "told by") {
		case "configured":
			z.configured = pick("zone")
		case "Kodi's":
			z.kodi = pick("zone")
		}
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 300*24*3600).Draw(t, "now")) * time.Second)
		seconds := func(from, to int, label string) time.Duration {
			return time.Duration(rapid.IntRange(from, to).Draw(t, label)) * time.Second
		}
		known := &memory{meta: meta{ID: "lib", Database: shown().Path}, files: map[string]record{}}
		before := film(1, rapid.IntRange(0, 3).Draw(t, "count"), "2025-01-01 20:00:00")
		known.apply(decide(known, shown(before), now.Add(-72*time.Hour), z))
		known.meta.GoodAt = now.Add(-seconds(0, 119, "since the last reading")).UnixMilli()
		age := seconds(120, 6*3600, "age")
		snap := shown(film(1, before.PlayCount+1, now.Add(-age).In(z.expected()).Format(time.DateTime)))
		snap.Written = now.Add(-seconds(0, 6, "written"))
		v := decide(known, snap, now, z)
		if len(v.viewings) != 1 || (ruling{class: v.viewings[0].Class}).played() {
			t.Fatalf("a state %s old: %v", age, tell(v, map[string]string{}))
		}
	})
}

// Kodi writes a playback within seconds of its end. What was written later is
// told apart by the time of the file.
func TestWrittenLate(t *testing.T) {
	z := around{machine: location(t, "America/New_York")}
	now := moment(t, "2026-03-02 02:01:00")
	for _, tt := range []struct {
		ago, written time.Duration // before the reading
		want         viewing.Class
	}{
		{0, 0, viewing.ClassLive},
		{7 * time.Second, 0, viewing.ClassLive}, // gathered for as long as a reading gathers
		{11 * time.Second, 0, viewing.ClassBackdated},
		{30 * time.Second, 0, viewing.ClassBackdated},
		{50 * time.Second, 0, viewing.ClassBackdated},
		{25 * time.Second, 20 * time.Second, viewing.ClassLive}, // read late
		{90 * time.Second, 0, viewing.ClassBackdated},
		{-30 * time.Second, 0, viewing.ClassLive}, // by a clock that is ahead
		{-2 * time.Minute, 0, viewing.ClassReview},
	} {
		known := story{steps: []step{{at: "2026-03-02 02:00:00", files: plain(0, "")}}}.run(t)
		snap := shown(film(1, 1, now.Add(-tt.ago).In(z.machine).Format(time.DateTime)))
		snap.Written = now.Add(-tt.written)
		v := decide(known, snap, now, z)
		if len(v.viewings) != 1 || v.viewings[0].Class != tt.want {
			t.Errorf("%v old, written %v ago: %v, want %s", tt.ago, tt.written, tell(v, map[string]string{}), tt.want)
		}
	}
}

// The whole way, from Kodi's settings and its file.
func TestZoneOfKodiAndTimeOfTheFile(t *testing.T) {
	h, s := newHome(t, t.TempDir()), newSink()
	text := `<settings version="2"><setting id="locale.timezone" default="true">Asia/Kolkata</setting></settings>`
	must(t, os.WriteFile(filepath.Join(h.dir, "guisettings.xml"), []byte(text), 0o600))
	i, err := New(Options{Userdata: h.dir, Sink: s, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	i.machine = time.UTC
	kolkata := func(ago time.Duration) time.Time { return time.Now().Add(-ago).In(location(t, "Asia/Kolkata")) }
	expect := func(class viewing.Class, note string) {
		t.Helper()
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

// What an importer does not know of when a file was written, it does not use.
func TestWhenWrittenIsKnown(t *testing.T) {
	i := newImporter(t, newSink(), &shelfReader{})
	at := time.Now()
	snap := snapshot.Snapshot{Written: at}
	if got := i.written(snap); !got.IsZero() {
		t.Errorf("after a start: %v", got)
	}
	i.sound = at
	if got := i.written(snap); !got.Equal(at) {
		t.Errorf("while it watches: %v", got)
	}
	i.failed, i.since = 3, at.Add(-50*time.Second)
	if got := i.written(snap); !got.Equal(i.since) {
		t.Errorf("after readings that failed: %v", got)
	}
	i.failed, i.ears.Deaf = 0, "a network drive"
	if got := i.written(snap); !got.IsZero() {
		t.Errorf("where no event comes: %v", got)
	}
}

// A clock that is wrong holds every playback. After some of them the source
// says so.
func TestWrongClockIsTold(t *testing.T) {
	for _, tt := range []struct {
		off        time.Duration
		says, hint string
	}{
		{-3 * time.Minute, "3 min behind", "set the clock"},
		{-40 * 24 * time.Hour, "40 days behind", "set the clock"},
		{10 * time.Minute, "10 min ahead of", "set the clock"},
		{-5 * time.Hour, "5 h 0 min behind", "time_zone"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := &shelfReader{files: list(film(1, 0, ""), film(2, 0, ""), film(3, 0, ""), film(4, 0, ""))}
			i := newImporter(t, newSink(), r)
			i.pass(t.Context())
			for n := range int64(3) {
				if st := i.Status(); st.Clock != "" {
					t.Errorf("after %d: %q", n, st.Clock)
				}
				time.Sleep(3 * time.Hour)
				i.confirm(t.Context(), time.Now())
				time.Sleep(30 * time.Second)
				r.files[n] = film(n+1, 1, time.Now().Add(tt.off).UTC().Format(time.DateTime))
				i.pass(t.Context())
			}
			if st := i.Status(); !strings.Contains(st.Clock, tt.says) || !strings.Contains(st.Hint, tt.hint) {
				t.Errorf("%v off: %q, %q", tt.off, st.Clock, st.Hint)
			}
			time.Sleep(30 * time.Second)
			r.files[3] = film(4, 1, local())
			i.pass(t.Context())
			if st := i.Status(); st.Clock != "" {
				t.Errorf("after a playback at the right time: %q", st.Clock)
			}
		})
	}
}

// States of other programs have no age in common.
func TestStatesOfOthersMakeNoClock(t *testing.T) {
	known := story{steps: []step{{at: "2026-03-02 02:00:00", files: shelf(9, 0, "")}}}.run(t)
	z := around{machine: location(t, "America/New_York")}
	files := shelf(9, 0, "")
	for n := range files {
		now := moment(t, "2026-03-02 02:00:30").Add(time.Duration(n) * time.Second)
		files[n].PlayCount, files[n].LastPlayed = 1, now.Add(-time.Duration(n+1)*7*time.Minute).In(z.machine).Format(time.DateTime)
		v := decide(known, shown(files...), now, z)
		if says, _ := v.meta.Clock.words(); says != "" {
			t.Fatal(fmt.Sprint(n, " states: ", says))
		}
		known = reload(t, known, v)
	}
}
