package locale

import (
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

func TestAMessageIsToldWithItsCause(t *testing.T) {
	m := viewing.Say("unreachable").Because(viewing.Say("noName", "name", "films.example"))
	for tag, want := range map[string]string{
		"en": "The service cannot be reached: the name films.example cannot be looked up",
		"de": "Der Dienst ist nicht erreichbar: der Name films.example lässt sich nicht nachschlagen",
	} {
		if got := In(tag).Message(m); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	if got := In("en").Message(viewing.Message{}); got != "" {
		t.Errorf("no message says %q", got)
	}
}
