package notify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// at is a time of the bubble's first days. It begins at midnight of 2000-01-01, UTC.
func at(day int, clock string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", fmt.Sprintf("2000-01-%02d %s", day, clock))
	if err != nil {
		panic(err)
	}
	return t
}

// in runs a test with a bench, in a bubble whose zone is UTC.
func in(t *testing.T, test func(*testing.T, *bench)) {
	was := time.Local
	time.Local = time.UTC
	defer func() { time.Local = was }()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.start()
		defer func() { b.end() }()
		test(t, b)
	})
}

// told are the codes of the notices so far, one text for each notice.
func (b *bench) told() (all []string) {
	for _, s := range b.sent {
		all = append(all, strings.Join(s.Codes, " "))
	}
	return all
}

func (b *bench) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := b.told(); !slices.Equal(got, want) {
		t.Fatalf("at %s the notices were %q, want %q", time.Now(), got, want)
	}
}

func TestABurstIsOneNotice(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, code := range []string{"a", "b", "c"} {
			b.set(true, problem(code))
			b.pass(3 * time.Second)
		}
		b.pass(gather)
		b.expect(t, "a b c")
		b.set(true, problem("d"))
		b.pass(time.Minute)
		b.expect(t, "a b c", "d")
		b.end()
		b.problems["e"] = problem("e")
		b.start()
		b.pass(5 * time.Second)
		b.set(true, problem("f"))
		b.pass(time.Minute)
		b.expect(t, "a b c", "d", "e f")
	})
}

func TestWhatComesByTimeIsFoundWithoutNews(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.pass(time.Minute)
		b.problems["a"] = problem("a")
		b.pass(lookEvery)
		b.expect(t, "a")
	})
}

func TestWhatLastsIsToldAgainAfterAWeek(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.set(true, problem("a"))
		b.pass(remindsIn - time.Hour)
		b.end()
		b.start()
		b.pass(time.Hour - time.Minute)
		b.expect(t, "a")
		b.pass(2 * lookEvery)
		b.expect(t, "a", "a")
	})
}

func TestWhatFlickersIsToldOnce(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for range 5 {
			b.set(true, problem("a"))
			b.pass(time.Minute)
			b.set(false, problem("a"))
			b.pass(50 * time.Minute)
		}
		b.expect(t, "a")
		b.pass(20 * time.Minute)
		b.set(true, problem("a"))
		b.pass(time.Minute)
		b.expect(t, "a", "a")
	})
}

// TestAFailingWayIsTriedAgain, ever more rarely, and the log says it once.
func TestAFailingWayIsTriedAgain(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.broken = true
		b.set(true, problem("a"))
		b.pass(26 * time.Hour)
		b.broken = false
		b.expect(t)
		if b.tries < 26 || b.tries > 33 {
			t.Errorf("it was tried %d times in 26 hours", b.tries)
		}
		b.pass(lastTry)
		b.expect(t, "a")
		if n := strings.Count(b.log.String(), "\n"); n != 2 || !strings.Contains(b.log.String(), "nobody is there") {
			t.Errorf("the log has %d lines:\n%s", n, b.log.String())
		}
	})
}

func TestNothingIsToldTwiceWhereTheDiskIsFull(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.keep.full = true
		b.set(true, problem("a"))
		b.pass(26 * time.Hour)
		b.expect(t, "a")
		b.keep.full = false
		b.pass(lookEvery)
		b.end()
		b.start()
		b.pass(lookEvery)
		b.expect(t, "a")
		if n := strings.Count(b.log.String(), "\n"); n != 1 {
			t.Errorf("the log has %d lines:\n%s", n, b.log.String())
		}
	})
}

func TestACauseHidesItsEffects(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		cause := "cause"
		effect := problem("effect")
		effect.Cause = &cause
		b.problems["effect"] = effect
		b.set(true, problem(cause))
		b.pass(time.Minute)
		b.expect(t, "cause")
		untold := problem(cause)
		untold.Severity = control.Note // this way does not tell of it
		b.set(true, untold)
		b.pass(time.Minute)
		b.expect(t, "cause", "effect")
	})
}

func TestProblemsOfOneCodeAreToldApart(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		for _, account := range []string{"anna", "ben"} {
			p := problem("key-refused")
			p.About = account
			b.set(true, p)
			b.pass(time.Minute)
		}
		b.expect(t, "key-refused", "key-refused")
	})
}

// TestAClockThatWasAheadIsForgiven: a machine without a battery may begin in the future.
func TestAClockThatWasAheadIsForgiven(t *testing.T) {
	l, now, p := ledger{}, at(1, "12:00"), []control.Problem{problem("a")}
	l.note(now.AddDate(20, 0, 0), p)
	l.due(now.AddDate(20, 0, 0), nil) // it is over
	l.due(now, nil)
	l.due(now.Add(2*time.Hour), nil)
	if due, _ := l.due(now.Add(3*time.Hour), p); len(due) != 1 {
		t.Error("a problem that came again is not told")
	}
	l.note(now.AddDate(20, 0, 0), p)
	l.due(now, p)
	if due, _ := l.due(now.Add(remindsIn), p); len(due) != 1 {
		t.Error("a problem that lasts is not told again")
	}
}

func TestARecordThatCannotBeReadIsNone(t *testing.T) {
	in(t, func(t *testing.T, b *bench) {
		b.keep.records["test"] = []byte("[]")
		b.set(true, problem("a"))
		b.pass(time.Minute)
		b.expect(t, "a")
	})
}

func TestANoticeIsHarmlessAndBounded(t *testing.T) {
	b := newBench(t)
	login := "filmspool login"
	p := control.Problem{
		Code: "a", Severity: control.Soon, Text: "The library \x1b[31m\u202e\n\"a\"\x00 is gone.",
		Act: control.Act{Text: "Give the key again.", Command: &login},
	}
	if n := compose(b.speech, []control.Problem{p}); n.Text != `The library [31m "a" is gone. Give the key again: filmspool login` || n.Severity != control.Soon {
		t.Errorf("%+q", n)
	}
	p.Text = strings.Repeat("ä", 1000)
	n := compose(b.speech, slices.Repeat([]control.Problem{p}, 100))
	lines := strings.Split(n.Text, "\n")
	if len(lines) != maxLines+1 || len([]rune(lines[0])) != maxLine || lines[maxLines] != "And 95 more. To see all: filmspool status" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}
