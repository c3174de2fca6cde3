package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
)

func TestSayUpgraded(t *testing.T) {
	var out bytes.Buffer
	p := &program{stdout: terminal.To(&out)}
	if p.sayUpgraded(version); out.String() != "" {
		t.Errorf("the same version: %q", out.String())
	}
	if p.sayUpgraded("0.0.1"); !strings.Contains(out.String(), "version 0.0.1 runs, and this is "+version+"; to use it: filmspool service restart") {
		t.Errorf("another version: %q", out.String())
	}
}
