package library_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails on leaked goroutines: a leaked connection would block Kodi.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
