package library_test

import (
	"testing"

	"go.uber.org/goleak"
)

// A goroutine left behind would mean a connection left open, and a Kodi that
// stands still.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
