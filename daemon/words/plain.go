package words

import (
	"errors"
	"sync"

	"github.com/filmspool/filmspool/queue/viewing"
)

// english is loaded once; the tests of the catalogue show that it can be read.
var english = sync.OnceValue(func() Speech {
	all, _ := Load()
	return all.In(English)
})

// Plain is an error for a person in English: a [viewing.Message] in it is rendered, any other text stays.
func Plain(err error) string {
	if m, ok := errors.AsType[viewing.Message](err); ok {
		return english().Message(m)
	}
	return err.Error()
}
