package replay

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain runs the tests two hours east of UTC, so that they detect times shown to the
// user in UTC.
func TestMain(m *testing.M) {
	time.Local = time.FixedZone("", 2*60*60)
	goleak.VerifyTestMain(m)
}
