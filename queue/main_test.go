package queue

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// childEnv makes the test binary act as another process: its value names
// what to do, childPath where, childPragma with which "synchronous" instead of
// the store's own.
const (
	childEnv  = "FILMSPOOL_QUEUE_CHILD"
	childPath = "FILMSPOOL_QUEUE_PATH"

	childPragma = "FILMSPOOL_QUEUE_SYNCHRONOUS"
)

// inMemory puts the files of the tests on a RAM disk, where an fsync costs nothing. Only the
// tests with the tag "long" need a real disk.
func inMemory() {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", shared)
	}
}

// fewer runs each model about ten times, unless -rapid.checks is set.
func fewer() {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "12") // the flag is there
	}
}

// TestMain runs the tests two hours east of UTC, so that a time wrongly shown in UTC makes a test
// fail.
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("", 2*60*60)
	var err error
	switch os.Getenv(childEnv) {
	case "":
		flag.Parse()
		inMemory()
		fewer()
		goleak.VerifyTestMain(m)
		return
	case "commit":
		err = commitForever(os.Getenv(childPath))
	case "steady":
		err = commitSteadily(os.Getenv(childPath), os.Getenv(childPragma))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The verbs, as tests give them.

func (o *opened) order(ctx context.Context, v entry.Verb, sel entry.Selection, dry bool) (entry.Changed, error) {
	return o.Operate(ctx, entry.Order{Verb: v, Selection: sel, DryRun: dry})
}

// do applies a verb to entries without an error.
func (o *opened) do(t testing.TB, v entry.Verb, ids ...int64) {
	t.Helper()
	if _, err := o.order(t.Context(), v, entry.Selection{IDs: ids}, false); err != nil {
		t.Fatal(err)
	}
}

// edit edits an entry without an error.
func (o *opened) edit(t testing.TB, id int64, c entry.Edit) {
	t.Helper()
	if _, err := o.Edit(t.Context(), id, c); err != nil {
		t.Fatal(err)
	}
}

func (o *opened) settleByHand(ctx context.Context, sel entry.Selection, as viewing.State, dry bool) (entry.Changed, error) {
	return o.Operate(ctx, entry.Order{Verb: entry.VerbSettle, Selection: sel, As: as, DryRun: dry})
}

func (o *opened) Move(ctx context.Context, ids []int64, to string, dry bool) (entry.Changed, error) {
	return o.Operate(ctx, entry.Order{Verb: entry.VerbMove, Selection: entry.Selection{IDs: ids}, To: to, DryRun: dry})
}
