package daemon

import (
	"errors"
	"reflect"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
)

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
