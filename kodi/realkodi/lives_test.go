package realkodi

import "testing"

// told is a test that notes what it is told, and lets nobody hear of it. Where
// a test would end, it panics with itself.
type told struct {
	testing.TB
	failed bool
	logs   int
}

func (r *told) Helper()               {}
func (r *told) Logf(string, ...any)   { r.logs++ }
func (r *told) Fatal(...any)          { r.failed = true; panic(r) }
func (r *told) Fatalf(string, ...any) { r.failed = true; panic(r) }

// hear does something that may fail the test r.
func (r *told) hear(do func()) {
	defer func() {
		if cause := recover(); cause != nil && cause != any(r) {
			panic(cause)
		}
	}()
	do()
}

// Only a death is tried again: not a failure while Kodi lives, and not for ever.
func TestOnlyDeathIsTriedAgain(t *testing.T) {
	tests := map[string]struct {
		dies          int  // so many times, one after the other
		fails         bool // the act itself
		failed        bool
		tries, renews int
	}{
		"lives":                   {tries: 1},
		"lives, and differs":      {fails: true, failed: true, tries: 1},
		"dies once":               {dies: 1, tries: 2, renews: 1},
		"dies while it fails":     {dies: 1, fails: true, failed: true, tries: 2, renews: 1},
		"dies as often as it may": {dies: MostDeaths, tries: MostDeaths + 1, renews: MostDeaths},
		"dies too often":          {dies: MostDeaths + 1, failed: true, tries: MostDeaths + 1, renews: MostDeaths},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			heard := &told{TB: t}
			var tries, renews int
			dead := false
			l := &Lives{Ended: func() bool { return dead }, Renew: func(testing.TB) { renews, dead = renews+1, false }, Last: func() string { return "" }}
			heard.hear(func() {
				l.Survive(heard, name, func(t testing.TB) {
					tries++
					dead = tries <= test.dies
					if test.fails {
						t.Fatal("differs")
					}
				})
			})
			if logs := min(test.dies, MostDeaths); heard.failed != test.failed || tries != test.tries || renews != test.renews || heard.logs != logs {
				t.Errorf("failed %v after %d tries, %d new ones and %d lines; want %v, %d, %d and %d",
					heard.failed, tries, renews, heard.logs, test.failed, test.tries, test.renews, logs)
			}
		})
	}
}
