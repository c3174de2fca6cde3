package daemon

import (
	"errors"
	"testing"

	"github.com/filmspool/filmspool/daemon/status"
)

// A state that no entry can have is the asker's mistake, not ours.
func TestUnknownStateIsInvalid(t *testing.T) {
	err := Offline(t.Context(), testOptions(t), func(c status.Control) error {
		_, err := c.List(t.Context(), status.Query{State: "lost"})
		return err
	})
	if !errors.Is(err, &status.Fault{Code: status.CodeInvalid}) || err.Error() == "" {
		t.Errorf("got %v", err)
	}
}
