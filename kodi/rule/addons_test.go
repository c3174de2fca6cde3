package rule

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Where an add-on syncs, what it may have written is held: marks one at a time,
// and times in the gap while nobody watched.
func TestWhatAnAddOnMayHaveWrittenIsHeld(t *testing.T) {
	for _, tt := range []struct {
		name string
		with AddOns
		says string
	}{
		{"writes", AddOns{Writers: []string{"plugin.video.jellyfin"}}, "note.mayWrite name=plugin.video.jellyfin"},
		{"reports", AddOns{Reporters: []string{"script.tracker"}}, "note.reports name=script.tracker"},
	} {
		z := Environment{Zone: location(t, "America/New_York"), AddOns: tt.with}
		known := NewMemory("lib")
		files := shelf(4, 0, "")
		read := func(at string) []viewing.Event {
			v := Decide(known, shown(files...), moment(t, at), z)
			known = reload(t, known, v)
			return v.Viewings
		}
		read("2026-03-02 02:00:00")
		for n, at := range []string{"2026-03-02 02:01:00", "2026-03-02 02:01:06", "2026-03-02 09:00:00"} {
			end := moment(t, at).Add(-time.Second)
			if n == 2 {
				end = end.Add(-3 * time.Hour) // while nobody watched
			}
			files[n].PlayCount, files[n].LastPlayed = 1, end.In(z.Zone).Format(time.DateTime)
			got := read(at)
			if len(got) != 1 || got[0].Class != viewing.ClassReview || !strings.Contains(got[0].Origin.Note.Error(), tt.says) {
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
