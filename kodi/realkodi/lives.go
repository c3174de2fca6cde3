//go:build kodi

package realkodi

import "testing"

// MostDeaths is how often Kodi may end by itself in one run.
const MostDeaths = 3

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

// Lives are those of the Kodis of one run, each after the other.
type Lives struct {
	Deaths int
	Ended  func() bool        // by itself
	Renew  func(t testing.TB) // starts a Kodi that is as the last one was
	Last   func() string      // the end of a dead one's log
}

// Survive does something for which a Kodi has to live from start to end. If
// Kodi has ended by itself, it is done again with a new one; for no other reason.
func (l *Lives) Survive(t testing.TB, what string, do func(t testing.TB)) {
	t.Helper()
	try := do
	for !l.survived(t, try) {
		l.Deaths++
		if l.Deaths > MostDeaths {
			t.Fatalf("Kodi ended by itself %d times in one run, now in %q. The end of its log:\n%s", l.Deaths, what, l.Last())
		}
		t.Logf("Kodi ended by itself (%d of at most %d times) in %q, which is done again with a new one. The end of its log:\n%s", l.Deaths, MostDeaths, what, l.Last())
		try = func(t testing.TB) {
			t.Helper()
			l.Renew(t)
			do(t)
		}
	}
}

func (l *Lives) survived(t testing.TB, do func(t testing.TB)) (lived bool) {
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
	do(mortal{t, l.Ended})
	return !l.Ended()
}
