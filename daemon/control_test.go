package daemon

import (
	"errors"
	"reflect"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
)

// A state that no entry can have is the asker's mistake, not ours.
func TestUnknownStateIsInvalid(t *testing.T) {
	err := Offline(t.Context(), testOptions(t), func(c control.API) error {
		_, err := c.List(t.Context(), queue.Filter{State: "lost"})
		return err
	})
	if !errors.Is(err, &control.Fault{Code: control.CodeInvalid}) || err.Error() == "" {
		t.Errorf("got %v", err)
	}
}

// TestEveryQuestionHasAnAnswer: the compiler does not see a field of the API
// that was left out.
func TestEveryQuestionHasAnAnswer(t *testing.T) {
	api := reflect.ValueOf((&Daemon{}).Control())
	for i := range api.NumField() {
		if api.Field(i).IsNil() {
			t.Errorf("nobody answers %s", api.Type().Field(i).Name)
		}
	}
}
