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
			_, err := c.Operate(t.Context(), entry.Order{Verb: entry.VerbDrop, Selection: entry.Selection{Filter: lost}})
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
// that has no method.
func TestEveryQuestionHasAnAnswer(t *testing.T) {
	for question := range reflect.TypeFor[control.API]().Fields() {
		if _, found := reflect.TypeFor[*Daemon]().MethodByName(question.Name); !found {
			t.Errorf("a daemon has no answer to %s", question.Name)
		}
	}
	c := offline{newCore(testOptions(t))}.Control()
	if _, err := c.Pair(t.Context()); !errors.Is(err, &control.Fault{Code: control.CodeNotRunning}) {
		t.Errorf("while nothing runs: %v", err)
	}
}
