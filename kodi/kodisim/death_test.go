package kodisim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostDeaths is how often Kodi may end by itself in one run. Kodi 20.1 aborts
// now and then: its threads lock each other out, and its C library notices.
const mostDeaths = 3

// death is the panic of a mortal test.
type death struct{}

// mortal is a test that cannot fail any more when its Kodi has ended: what
// would fail it then is a panic with death. Errors, which are differences, go
// through as they are.
type mortal struct {
	testing.TB
	ended func() bool
}

func (m mortal) Fatal(args ...any) {
	m.Helper()
	m.judge()
	m.TB.Fatal(args...)
}

func (m mortal) Fatalf(format string, args ...any) {
	m.Helper()
	m.judge()
	m.TB.Fatalf(format, args...)
}

func (m mortal) judge() {
	if m.ended() {
		panic(death{})
	}
}

// lives are those of the Kodis of one run, each after the other.
type lives struct {
	deaths int
	ended  func() bool        // by itself
	renew  func(t testing.TB) // starts a Kodi that is as the last one was
	last   func() string      // the end of a dead one's log
}

// survive does something for which a Kodi has to live from start to end. If
// Kodi has ended by itself, it is done again with a new one; for no other reason.
func (l *lives) survive(t testing.TB, what string, do func(t testing.TB)) {
	t.Helper()
	try := do
	for !l.survived(t, try) {
		l.deaths++
		if l.deaths > mostDeaths {
			t.Fatalf("Kodi ended by itself %d times in one run, now in %q. The end of its log:\n%s", l.deaths, what, l.last())
		}
		t.Logf("Kodi ended by itself (%d of at most %d times) in %q, which is done again with a new one. The end of its log:\n%s", l.deaths, mostDeaths, what, l.last())
		try = func(t testing.TB) {
			t.Helper()
			l.renew(t)
			do(t)
		}
	}
}

func (l *lives) survived(t testing.TB, do func(t testing.TB)) (lived bool) {
	t.Helper()
	defer func() {
		switch cause := recover(); cause.(type) {
		case nil:
		case death:
			lived = false
		default:
			panic(cause)
		}
	}()
	do(mortal{t, l.ended})
	return !l.ended()
}

// gone reports whether the Kodi that was started in a folder runs no more. One
// that never came to be started is not gone.
func gone(dir string) bool {
	group, err := os.ReadFile(filepath.Join(dir, "kodi.pid"))
	if err != nil {
		return false
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	return !slices.ContainsFunc(stats, func(path string) bool {
		text, _ := os.ReadFile(path) // or it has just ended
		stat := strings.Fields(string(text))
		return len(stat) > 4 && stat[1] == "(kodi.bin)" && stat[2] != "Z" && stat[4] == strings.TrimSpace(string(group))
	})
}

// tail is the end of what Kodi printed and of what it logged.
func tail(dir string) string {
	var lines []string
	for _, name := range []string{"home/.kodi/temp/kodi.log", "kodi.log"} {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		all := strings.Split(strings.TrimSpace(string(text)), "\n")
		lines = append(lines, all[max(0, len(all)-12):]...)
	}
	return strings.Join(lines, "\n")
}

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
		"dies as often as it may": {dies: mostDeaths, tries: mostDeaths + 1, renews: mostDeaths},
		"dies too often":          {dies: mostDeaths + 1, failed: true, tries: mostDeaths + 1, renews: mostDeaths},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			heard := &told{TB: t}
			var tries, renews int
			dead := false
			l := &lives{ended: func() bool { return dead }, renew: func(testing.TB) { renews, dead = renews+1, false }, last: func() string { return "" }}
			heard.hear(func() {
				l.survive(heard, name, func(t testing.TB) {
					tries++
					dead = tries <= test.dies
					if test.fails {
						t.Fatal("differs")
					}
				})
			})
			if logs := min(test.dies, mostDeaths); heard.failed != test.failed || tries != test.tries || renews != test.renews || heard.logs != logs {
				t.Errorf("failed %v after %d tries, %d new ones and %d lines; want %v, %d, %d and %d",
					heard.failed, tries, renews, heard.logs, test.failed, test.tries, test.renews, logs)
			}
		})
	}
}
