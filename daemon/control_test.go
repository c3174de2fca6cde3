package daemon

import (
	"errors"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
)

// A state that no entry can have is the asker's mistake, not ours.
func TestUnknownStateIsInvalid(t *testing.T) {
	err := Offline(t.Context(), testOptions(t), func(c control.Control) error {
		_, err := c.List(t.Context(), control.Query{State: "lost"})
		return err
	})
	if !errors.Is(err, &control.Fault{Code: control.CodeInvalid}) || err.Error() == "" {
		t.Errorf("got %v", err)
	}
}
