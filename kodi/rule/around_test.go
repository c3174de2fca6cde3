package rule

import (
	"testing"
	"time"

	"pgregory.net/rapid"

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
		z := Environment{Zone: pick("zone")}
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 300*24*3600).Draw(t, "now")) * time.Second)
		seconds := func(from, to int, label string) time.Duration {
			return time.Duration(rapid.IntRange(from, to).Draw(t, label)) * time.Second
		}
		known := NewMemory("lib")
		before := film(1, rapid.IntRange(0, 3).Draw(t, "count"), "2025-01-01 20:00:00")
		known.Apply(Decide(known, shown(before), now.Add(-72*time.Hour), z))
		known.Meta.GoodAt = now.Add(-seconds(0, 119, "since the last reading")).UnixMilli()
		age := seconds(120, 6*3600, "age")
		snap := shown(film(1, before.PlayCount+1, now.Add(-age).In(z.Zone).Format(time.DateTime)))
		snap.Written = now.Add(-seconds(0, 6, "written"))
		v := Decide(known, snap, now, z)
		if len(v.Viewings) != 1 || played(v.Viewings[0].Class) {
			t.Fatalf("a state %s old: %v", age, tell(v, map[string]string{}))
		}
	})
}

// Kodi writes a playback within seconds of its end. What was written later is
// told apart by the time of the file.
func TestWrittenLate(t *testing.T) {
	z := Environment{Zone: location(t, "America/New_York")}
	now := moment(t, "2026-03-02 02:01:00")
	for _, tt := range []struct {
		ago, written time.Duration // before the reading
		want         viewing.Class
	}{
		{0, 0, viewing.ClassLive},
		{7 * time.Second, 0, viewing.ClassLive}, // gathered for as long as a reading gathers
		{16 * time.Second, 0, viewing.ClassBackdated},
		{30 * time.Second, 0, viewing.ClassBackdated},
		{50 * time.Second, 0, viewing.ClassBackdated},
		{25 * time.Second, 20 * time.Second, viewing.ClassLive}, // read late
		{90 * time.Second, 0, viewing.ClassBackdated},
		{-30 * time.Second, 0, viewing.ClassLive}, // by a clock that is ahead
		{-2 * time.Minute, 0, viewing.ClassReview},
	} {
		known := story{steps: []step{{at: "2026-03-02 02:00:00", files: plain(0, "")}}}.run(t)
		snap := shown(film(1, 1, now.Add(-tt.ago).In(z.Zone).Format(time.DateTime)))
		snap.Written = now.Add(-tt.written)
		v := Decide(known, snap, now, z)
		if len(v.Viewings) != 1 || v.Viewings[0].Class != tt.want {
			t.Errorf("%v old, written %v ago: %v, want %s", tt.ago, tt.written, tell(v, map[string]string{}), tt.want)
		}
	}
}
