package sqlite

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childEnv makes the test binary act as another process, which holds the lock
// of the folder that it names.
const childEnv = "FILMSPOOL_DISK_CHILD"

func TestMain(m *testing.M) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := holdLock(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
