package daemon

import (
	"errors"
	"reflect"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

// A state that no entry can have is the asker's mistake, not ours.
func TestUnknownStateIsInvalid(t *testing.T) {
	lost := entry.Filter{State: "lost"}
	for name, ask := range map[string]func(control.API) error{
		"a list": func(c control.API) error { _, err := c.List(t.Context(), lost); return err },
		"an order": func(c control.API) error {
			_, err := c.Operate(t.Context(), control.Order{Verb: control.Drop, Selection: entry.Selection{Filter: lost}})
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
	c := &core{}
	for kind, api := range map[string]control.API{"a daemon": (&Daemon{core: c}).Control(), "a command alone": offline{c}.Control()} {
		v := reflect.ValueOf(api)
		for i := range v.NumField() {
			if v.Field(i).IsNil() {
				t.Errorf("%s has no answer to %s", kind, v.Type().Field(i).Name)
			}
		}
	}
}
