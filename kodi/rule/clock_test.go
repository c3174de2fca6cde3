package rule

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// oneFilm returns a library of film 1.
func oneFilm(count int, last string) []library.File { return list(film(1, count, last)) }

func TestClockAndZone(t *testing.T) {
	const old = "2025-01-01 20:00:00"
	runScenarios(t, []scenario{
		{name: "a single time ahead does not hide the next play", steps: []step{
			{at: "2026-11-21 05:47:00", files: oneFilm(1, old)},
			{at: "2026-11-21 05:48:06", files: oneFilm(1, "2026-11-21 09:00:00")}, // a partial play with a bad stamp
			{at: "2026-11-21 07:48:06", files: oneFilm(2, "2026-11-21 02:48:00"), want: []string{"catch-up F1 2026-11-21T07:48:00Z"}},
		}},
		{name: "a time beyond every zone never raises the latest time", steps: []step{
			{at: "2026-11-21 05:47:00", files: oneFilm(1, old)},
			{at: "2026-11-21 05:48:06", files: oneFilm(1, "2031-01-01 00:00:01")},
			{at: "2026-11-21 09:48:06", files: oneFilm(2, "2026-11-21 00:30:00"), want: []string{"backdated F1 2026-11-21T05:30:00Z"}},
		}},
		{name: "a future time is reviewed", steps: []step{
			{at: "2026-11-21 05:47:00", files: oneFilm(1, old)},
			{at: "2026-11-21 09:48:06", files: oneFilm(2, "2026-11-22 00:30:00"), want: []string{"review F1 2026-11-22T05:30:00Z"}},
		}},
		{name: "another zone from Kodi's settings", zone: "Asia/Kolkata", steps: []step{
			{at: "2026-11-21 05:47:00", files: oneFilm(0, "")},
			{at: "2026-11-21 05:48:06", files: oneFilm(1, "2026-11-21 11:18:05"), want: []string{"live F1 2026-11-21T05:48:05Z"}},
			{at: "2026-11-22 05:48:06", files: oneFilm(2, "2026-11-22 10:30:00"), want: []string{"catch-up F1 2026-11-22T05:00:00Z"}},
		}},
	})
}

func TestDaylightSavingAndMidnight(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "clocks go forward between two plays", steps: []step{
			{at: "2026-03-07 05:00:00", files: oneFilm(0, "")},
			{at: "2026-03-07 05:01:00", files: oneFilm(1, "2026-03-07 00:00:59"), want: []string{"live F1 2026-03-07T05:00:59Z"}},
			{at: "2026-03-09 05:01:00", files: oneFilm(2, "2026-03-08 20:00:00"), want: []string{"catch-up F1 2026-03-09T00:00:00Z"}},
		}},
		{name: "the repeated hour: the second time", steps: []step{
			{at: "2026-11-01 05:58:00", files: oneFilm(0, "")},
			{at: "2026-11-01 06:29:00", empty: true},
			{at: "2026-11-01 06:30:01", files: oneFilm(1, "2026-11-01 01:30:00"), want: []string{"live F1 2026-11-01T06:30:00Z"}},
		}},
		{name: "the repeated hour: the first time", steps: []step{
			{at: "2026-11-01 05:29:00", files: oneFilm(0, "")},
			{at: "2026-11-01 05:30:01", files: oneFilm(1, "2026-11-01 01:30:00"), want: []string{"live F1 2026-11-01T05:30:00Z"}},
		}},
		{name: "the repeated hour caught up between two reads", steps: []step{
			{at: "2026-11-01 05:50:00", files: oneFilm(0, "")},
			{at: "2026-11-01 08:00:00", files: oneFilm(1, "2026-11-01 01:30:00"), want: []string{"catch-up F1 2026-11-01T06:30:00Z"}},
		}},
		{name: "played again in the repeated hour, an hour later by the same clock", steps: []step{
			{at: "2026-11-01 05:29:00", files: oneFilm(0, "")},
			{at: "2026-11-01 05:30:01", files: oneFilm(1, "2026-11-01 01:30:00"), want: []string{"live F1 2026-11-01T05:30:00Z"}},
			{at: "2026-11-01 06:29:00", empty: true},
			{at: "2026-11-01 06:30:21", files: oneFilm(2, "2026-11-01 01:30:20"), want: []string{"live F1 2026-11-01T06:30:20Z"}},
		}},
		{name: "the skipped hour", steps: []step{
			{at: "2026-03-08 05:00:00", files: oneFilm(0, "")},
			{at: "2026-03-08 09:00:00", files: oneFilm(1, "2026-03-08 02:30:00"), want: []string{"catch-up F1 2026-03-08T07:30:00Z"}},
		}},
		{name: "a date alone, after a time that was ahead", first: oneFilm(0, ""), steps: []step{
			{at: "2026-03-02 02:01:00", files: oneFilm(0, "2026-03-02 02:00:00")}, // a partial play, in another zone
			{at: "2026-03-02 20:00:00", files: oneFilm(1, "2026-03-02 00:00:00"), want: []string{"backdated F1 2026-03-02T17:00:00Z day"}},
		}},
		{name: "midnight live is a playback", steps: []step{
			{at: "2026-03-02 04:59:30", files: oneFilm(0, "")},
			{at: "2026-03-02 05:00:01", files: oneFilm(1, "2026-03-02 00:00:00"), want: []string{"live F1 2026-03-02T05:00:00Z"}},
		}},
		{name: "this machine's clock was set back since the last read", steps: []step{
			{at: "2026-03-02 07:00:00", files: oneFilm(0, "")},
			{at: "2026-03-02 06:00:00", files: oneFilm(1, "2026-03-02 00:59:59"), want: []string{"backdated F1 2026-03-02T05:59:59Z"}},
		}},
	})
}

func TestParseWall(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-03-01 21:00:59": true, "": false, "soon": false, "2026-03-01": false, "2026-03-01T21:00:59": false, "2026-03-01T21:00:59+01:00": false,
		"01.03.2026": false, "0000-00-00 00:00:00": false, "1601-01-01 00:00:00": false, "2026-02-30 10:00:00": false,
	} {
		if _, ok := parseWall(text); ok != want {
			t.Errorf("parseWall(%q) = %v, want %v", text, ok, want)
		}
	}
}

// TestOldTimesAreNeverLive: a time that another program writes is never live, whatever its zone, if the
// last read is recent.
func TestOldTimesAreNeverLive(t *testing.T) {
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
		z := Environment{Zone: pick("zone")}
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 300*24*3600).Draw(t, "now")) * time.Second)
		seconds := func(from, to int, label string) time.Duration {
			return time.Duration(rapid.IntRange(from, to).Draw(t, label)) * time.Second
		}
		known := NewMemory("lib")
		before := film(1, rapid.IntRange(0, 3).Draw(t, "count"), "2025-01-01 20:00:00")
		known.Apply(Decide(known, snapshot(before), now.Add(-72*time.Hour), z))
		known.Meta.VerifiedAt = now.Add(-seconds(0, 119, "since the last read")).UnixMilli()
		age := seconds(120, 6*3600, "age")
		snap := snapshot(film(1, before.PlayCount+1, now.Add(-age).In(z.Zone).Format(time.DateTime)))
		snap.Written = now.Add(-seconds(0, 6, "written"))
		v := Decide(known, snap, now, z)
		if len(v.Viewings) != 1 || countsAsPlayed(v.Viewings[0].Class) {
			t.Fatalf("a time %s old: %v", age, describe(v, map[string]string{}))
		}
	})
}

// TestLateWritesAreNotLive: Kodi writes a playback within seconds of its end. Times that were written
// later are not live.
func TestLateWritesAreNotLive(t *testing.T) {
	z := Environment{Zone: location(t, "America/New_York")}
	now := parseTime(t, "2026-03-02 02:01:00")
	for _, tt := range []struct {
		ago, written time.Duration // before the read
		want         viewing.Class
	}{
		{0, 0, viewing.ClassLive},
		{7 * time.Second, 0, viewing.ClassLive}, // the read waited for more writes
		{16 * time.Second, 0, viewing.ClassBackdated},
		{30 * time.Second, 0, viewing.ClassBackdated},
		{50 * time.Second, 0, viewing.ClassBackdated},
		{25 * time.Second, 20 * time.Second, viewing.ClassLive}, // read late
		{90 * time.Second, 0, viewing.ClassBackdated},
		{-30 * time.Second, 0, viewing.ClassLive}, // by a clock that is ahead
		{-2 * time.Minute, 0, viewing.ClassReview},
	} {
		known := scenario{steps: []step{{at: "2026-03-02 02:00:00", files: oneFilm(0, "")}}}.run(t)
		snap := snapshot(film(1, 1, now.Add(-tt.ago).In(z.Zone).Format(time.DateTime)))
		snap.Written = now.Add(-tt.written)
		v := Decide(known, snap, now, z)
		if len(v.Viewings) != 1 || v.Viewings[0].Class != tt.want {
			t.Errorf("%v old, written %v ago: %v, want %s", tt.ago, tt.written, describe(v, map[string]string{}), tt.want)
		}
	}
}
