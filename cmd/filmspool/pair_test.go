package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
)

// Whoever asks for a code is told who has sent wrong ones, harmlessly.
func TestPairTellsWhoElseTried(t *testing.T) {
	var out bytes.Buffer
	p := &program{stdout: terminal.To(&out)}
	p.sayTried(nil)
	if out.Len() > 0 {
		t.Errorf("nobody tried: %q", out.String())
	}
	p.sayTried([]control.WrongCodes{{Origin: "moz-extension://\x1b[2J", Wrong: 7}, {Wrong: 3}})
	for _, want := range []string{`7, from moz-extension://\x1b[2J.`, "3, from others.", "hint:  "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}
