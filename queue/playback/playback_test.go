package playback

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

const ms = time.Millisecond

// TestSameAtTheLimits: the largest gap that is one playback and the smallest that is not, to the
// millisecond.
func TestSameAtTheLimits(t *testing.T) {
	const exact, day = viewing.Second, viewing.Day
	tests := []struct {
		rule     Rule
		item     viewing.MediaType
		runtimes [2]time.Duration
		first    viewing.Precision
		second   viewing.Precision
		farthest time.Duration
	}{
		{TwoSources, viewing.Movie, [2]time.Duration{}, exact, exact, 40 * time.Minute},
		{TwoSources, viewing.Episode, [2]time.Duration{}, exact, exact, 20 * time.Minute},
		{TwoSources, viewing.Movie, [2]time.Duration{2 * time.Hour}, exact, exact, 2 * time.Hour},
		{TwoSources, viewing.Episode, [2]time.Duration{0, 47 * time.Minute}, exact, exact, 47 * time.Minute},
		{TwoSources, viewing.Movie, [2]time.Duration{90 * time.Minute, 2 * time.Hour}, exact, exact, 2 * time.Hour},
		{TwoSources, viewing.Movie, [2]time.Duration{2 * time.Minute}, exact, exact, 5 * time.Minute},
		{TwoSources, viewing.Movie, [2]time.Duration{9 * time.Hour}, exact, exact, 6 * time.Hour},
		{TwoSources, viewing.Movie, [2]time.Duration{2 * time.Hour}, day, exact, 12*time.Hour - ms},
		{TwoSources, viewing.Movie, [2]time.Duration{2 * time.Hour}, exact, day, 12*time.Hour - ms},
		{TwoSources, viewing.Episode, [2]time.Duration{}, day, day, 12*time.Hour - ms},

		{Import, viewing.Movie, [2]time.Duration{}, exact, exact, 20*time.Minute - ms},
		{Import, viewing.Episode, [2]time.Duration{}, exact, exact, 10*time.Minute - ms},
		{Import, viewing.Movie, [2]time.Duration{2 * time.Hour}, exact, exact, time.Hour - ms},
		{Import, viewing.Episode, [2]time.Duration{time.Minute}, exact, exact, 30*time.Second - ms},
		{Import, viewing.Movie, [2]time.Duration{2 * time.Hour}, day, exact, 12 * time.Hour},
		{Import, viewing.Movie, [2]time.Duration{2 * time.Hour}, exact, day, 12 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.rule, tt.item, tt.runtimes, tt.first, tt.second), func(t *testing.T) {
			end := func(after time.Duration, p viewing.Precision, runtime time.Duration) End {
				return End{At: viewing.Instant{Millis: 1_772_366_400_000 + after.Milliseconds(), Precision: p}, Type: tt.item, Runtime: runtime}
			}
			a := end(0, tt.first, tt.runtimes[0])
			for _, b := range []struct {
				apart time.Duration
				want  bool
			}{{0, true}, {tt.farthest, true}, {-tt.farthest, true}, {tt.farthest + ms, false}, {-tt.farthest - ms, false}} {
				if got := tt.rule.Same(a, end(b.apart, tt.second, tt.runtimes[1])); got != b.want {
					t.Errorf("%v apart: %v, want %v", b.apart, got, b.want)
				}
			}
			if tt.farthest > MaxGap {
				t.Errorf("beyond the reach of %v", MaxGap)
			}
		})
	}
}

func TestMatchesRecord(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	evening := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	hour := 3600
	there := viewing.At(evening)
	there.Offset = &hour // 2026-03-02 00:30 where it was watched
	dated := viewing.Instant{Millis: noon.UnixMilli(), Precision: viewing.Day}
	film := func(at viewing.Instant, runtime time.Duration) End {
		return End{At: at, Type: viewing.Movie, Runtime: runtime}
	}
	west := viewing.At(time.Date(2026, 3, 1, 21, 0, 0, 0, time.FixedZone("", -5*3600))) // 2 March, 02:00 in UTC
	tests := map[string]struct {
		end    End
		record time.Time
		days   bool
		want   bool
	}{
		"half of a common film":          {film(viewing.At(noon), 0), noon.Add(20 * time.Minute), false, true},
		"beyond it":                      {film(viewing.At(noon), 0), noon.Add(20*time.Minute + 1), false, false},
		"half of a common episode":       {End{At: viewing.At(noon), Type: viewing.Episode}, noon.Add(-10 * time.Minute), false, true},
		"before it":                      {End{At: viewing.At(noon), Type: viewing.Episode}, noon.Add(-10*time.Minute - 1), false, false},
		"half the running time":          {film(viewing.At(noon), 2*time.Hour), noon.Add(time.Hour), false, true},
		"beyond half":                    {film(viewing.At(noon), 2*time.Hour), noon.Add(time.Hour + 1), false, false},
		"a short one":                    {film(viewing.At(noon), 2*time.Minute), noon.Add(time.Minute + 1), false, false},
		"only the day is known":          {film(dated, 2*time.Hour), noon.Add(12 * time.Hour), false, true},
		"the day after":                  {film(dated, 2*time.Hour), noon.Add(12*time.Hour + 1), false, false},
		"a service of days":              {film(viewing.At(evening), 0), evening.Truncate(24 * time.Hour), true, true},
		"the same of another":            {film(viewing.At(evening), 0), evening.Truncate(24 * time.Hour), false, false},
		"the day where it was":           {film(there, 0), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), true, true},
		"the day in UTC":                 {film(there, 0), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), true, true},
		"another day":                    {film(there, 0), time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC), true, false},
		"near, though of another":        {film(viewing.At(evening), 2*time.Hour), evening.Add(time.Hour), true, true},
		"a day of a service of days":     {film(dated, 0), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), true, true},
		"kept as a day, where it was":    {film(west, 0), noon.Truncate(24 * time.Hour), true, true},
		"kept as a day, in UTC":          {film(west, 0), noon.Add(12 * time.Hour), true, true},
		"kept as a day, another":         {film(west, 0), noon.Add(-24 * time.Hour), true, false},
		"midnight where times are exact": {film(west, 0), noon.Truncate(24 * time.Hour), false, false},
	}
	for name, tt := range tests {
		if got := MatchesRecord(tt.record, tt.days, tt.end); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}
