package rule

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/viewing"
)

// What a real Kodi says of its past at first contact: at the end of that
// evening, and upgraded, with what refreshes have made of its times.
func TestRealPast(t *testing.T) {
	z := Environment{Zone: location(t, "America/New_York")}
	for _, tt := range []struct {
		state   string
		want    []string
		earlier int
	}{
		{"after-watched", []string{
			"import Epsilon (1972) 2019-02-03T17:00:00Z day",
			"import Show Red S01E01 2026-07-16T03:30:00Z",
			"import Show Red S00E01 2026-11-01T06:30:00Z", // in the repeated hour
			"import Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
			"import Alpha Two (2003) 2026-11-21T02:05:00Z",
			"import Beta (2010) 2026-11-21T05:44:25Z",
			"import Alpha One (1999) 2026-11-21T05:48:05Z",
		}, 5},
		{"upgraded", []string{
			"import Epsilon (1972) 2019-02-03T17:00:00Z day", // in a renamed folder
			"import Show Red S01E01 2026-07-16T03:30:00Z",
			"import Show Red S00E01 2026-11-01T06:30:00Z",
			"import Show Red S01E04+Show Red S01E05 2026-11-03T01:00:00Z",
			"import Alpha Two (2003) 2026-11-20T17:00:00Z day", // its NFO keeps the day alone
			"import Beta (2010) 2026-11-21T05:44:25Z",
			"import Alpha One (1999) 2026-11-21T05:55:30Z",
		}, 14},
	} {
		snap, now := readReal(t, tt.state), moment(t, "2026-11-21 06:11:00")
		known := NewMemory("lib")
		known = reload(t, known, Decide(known, snap, now, z))
		p := Remember(known, snap, now, z).Plan(nil, PlanOptions{})
		v := p.Verdict(known, 0, len(p.plays), now)
		mustBeValid(t, v)
		if got := tell(v, map[string]string{}); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s", tt.state, cmp.Diff(tt.want, got))
		}
		items := map[viewing.MediaType]int{}
		for _, w := range p.Viewings() {
			for _, m := range w.Media {
				items[m.Type]++
			}
		}
		if items[viewing.Movie] != 4 || items[viewing.Episode] != 4 || p.Earlier != tt.earlier {
			t.Errorf("%s: %v, %d earlier ones", tt.state, items, p.Earlier)
		}
	}
}
