package main

import "testing"

// A hint for the machine's service names it; a hint about somebody's service
// stays as it is.
func TestHintsAreForTheInstanceThatWasAsked(t *testing.T) {
	p := &program{}
	p.choice.System = true
	for hint, want := range map[string]string{
		"filmspool login": "filmspool --system login",
		"filmspool queue list; filmspool queue show 1": "filmspool --system queue list; filmspool --system queue show 1",
		"sudo filmspool --system service start":        "sudo filmspool --system service start",
		"runuser -u kid -- filmspool service stop":     "runuser -u kid -- filmspool service stop",
		"give ids, or filters, or --all":               "give ids, or filters, or --all",
	} {
		if got := p.addressed(hint); got != want {
			t.Errorf("%q becomes %q, want %q", hint, got, want)
		}
	}
	p.choice.System = false
	if got := p.addressed("filmspool login"); got != "filmspool login" {
		t.Errorf("without --system: %q", got)
	}
}
