package replay

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain has the tests run two hours east of UTC, so that they notice a time
// that a person reads in UTC.
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("", 2*60*60)
	goleak.VerifyTestMain(m)
}
