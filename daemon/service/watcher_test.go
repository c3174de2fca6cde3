package service

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// end is how one run of a program ends, and after how long.
type end struct {
	after time.Duration
	code  int
	said  string
	err   error
}

// watched runs a watcher over programs that end so, and returns when each
// began, and what was told.
func watched(ctx context.Context, ends ...end) (starts []time.Duration, told []record) {
	began := time.Now()
	w := watcher{
		tell: func(r record) { told = append(told, r) },
		once: func(ctx context.Context, run func(int)) (int, string, error) {
			e := ends[len(starts)]
			starts = append(starts, time.Since(began))
			if e.err != nil {
				return 0, "", e.err
			}
			run(100 + len(starts))
			select {
			case <-time.After(e.after):
			case <-ctx.Done():
			}
			return e.code, e.said, nil
		},
	}
	w.keep(ctx)
	return starts, told
}

func TestWatcherStartsAProgramAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starts, told := watched(t.Context(),
			end{after: time.Second, code: 1},
			end{after: time.Second, code: 1, said: "the disk is full"},
			end{err: errors.New("no such file")},
			end{after: 11 * time.Minute, code: 3},
			end{},
		)
		want := []time.Duration{0, 6 * time.Second, 17 * time.Second, 37 * time.Second, 37*time.Second + 11*time.Minute + 5*time.Second}
		if !slices.Equal(starts, want) {
			t.Errorf("started at %v, not %v", starts, want)
		}
		var details []string
		for _, r := range told {
			if r.State == Restarting {
				details = append(details, r.Detail)
			}
		}
		if !slices.Equal(details, []string{
			"started again after 5s: it ended with exit code 1",
			"started again after 10s: the disk is full",
			"started again after 20s: it could not be started: no such file",
			"started again after 5s: it ended with exit code 3",
		}) {
			t.Errorf("told %q", details)
		}
		if last := told[len(told)-1]; last.State != Stopped {
			t.Errorf("an orderly end is told as %+v", last)
		}
	})
}

func TestWatcherWaitsFiveMinutesAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starts, _ := watched(t.Context(), append(slices.Repeat([]end{{code: 1}}, 12), end{})...)
		if last := starts[12] - starts[11]; last != 5*time.Minute {
			t.Errorf("the last wait was %v", last)
		}
	})
}

func TestWatcherLeavesWhatNobodyMended(t *testing.T) {
	for _, code := range []int{2, 78} {
		synctest.Test(t, func(t *testing.T) {
			starts, told := watched(t.Context(), end{code: code, said: "bad configuration"})
			last := told[len(told)-1]
			if len(starts) != 1 || last.State != Failed || !last.logged || !strings.HasSuffix(last.Detail, ": bad configuration") {
				t.Errorf("%d starts, then %+v", len(starts), last)
			}
		})
	}
}

func TestWatcherStopsAtOnce(t *testing.T) {
	for name, ends := range map[string][]end{
		"while it runs": {{after: time.Hour}}, "while it waits": {{code: 1}}, "and the program fails as it stops": {{after: time.Hour, code: 78}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				began := time.Now()
				_, told := watched(ctx, ends...)
				if took := time.Since(began); took != 2*time.Second || told[len(told)-1].State != Stopped {
					t.Errorf("after %v told %+v", took, told)
				}
			})
		})
	}
}

func TestRecordSurvivesWhatIsNone(t *testing.T) {
	dir := t.TempDir()
	if r := readRecord(dir); r != (record{}) {
		t.Errorf("nothing reads as %+v", r)
	}
	want := record{State: Failed, PID: 7, Restarts: 2, Detail: "why"}
	if err := want.write(dir); err != nil {
		t.Fatal(err)
	}
	if got := readRecord(dir); got != want {
		t.Errorf("read %+v", got)
	}
	for range 2 {
		if err := forget(dir); err != nil || readRecord(dir) != (record{}) {
			t.Errorf("not forgotten: %v", err)
		}
	}
}
