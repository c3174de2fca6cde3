package daemon

import (
	"errors"
	"reflect"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
)

// A state that no entry can have is the asker's mistake, not ours.
func TestUnknownStateIsInvalid(t *testing.T) {
	lost := entry.Filter{State: "lost"}
	for name, ask := range map[string]func(control.API) error{
		"a list": func(c control.API) error { _, err := c.List(t.Context(), lost); return err },
		"an order": func(c control.API) error {
			_, err := c.Operate(t.Context(), control.Order{Verb: control.Drop, Selection: queue.Selection{Filter: lost}})
			return err
		},
	} {
		err := Offline(t.Context(), testOptions(t), ask)
		if !errors.Is(err, &control.Fault{Code: control.CodeInvalid}) || err.Error() == "" {
			t.Errorf("%s: got %v", name, err)
		}
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
