package service

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

// Where no user namespace is to be had, the unit is written without what
// needs one, and keeps the rest.
func TestInstallWithoutUserNamespaces(t *testing.T) {
	for code, plain := range map[int]bool{0: false, 1: false, 217: true, 218: true, 226: true} {
		f := newFake(t, false)
		f.write("systemd-run", fmt.Sprintf("#!/bin/sh\nexit %d\n", code), 0o755)
		if err := f.unit.install(t.Context()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(f.unit.unitFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"PrivateUsers=yes", "CapabilityBoundingSet=", "BindPaths=%h/.local/state/filmspool"} {
			if strings.Contains(string(text), "\n"+line+"\n") == plain {
				t.Errorf("systemd-run ends with %d: %q in the unit: %t", code, line, !plain)
			}
		}
		for _, line := range []string{"NoNewPrivileges=yes", "SystemCallFilter=@system-service", "[Install]", "WantedBy=default.target"} {
			if !strings.Contains(string(text), "\n"+line+"\n") {
				t.Errorf("systemd-run ends with %d: the unit lacks %s", code, line)
			}
		}
	}
}

// A state folder that was named may be written, and no other; "$" begins a
// variable in a command alone.
func TestUnitAllowsTheStateFolder(t *testing.T) {
	const odd = `/srv/film spool $1 100%`
	for _, c := range []struct {
		template string
		o        Options
		want     []string
	}{
		{packaging.UserUnit, Options{Args: []string{"run"}}, []string{
			"ExecStartPre=+:mkdir -p -m 700 %h/.local/state/filmspool", "BindPaths=%h/.local/state/filmspool",
		}},
		{packaging.UserUnit, Options{Args: []string{"run", "--state-dir", odd}}, []string{
			`ExecStartPre=+:mkdir -p -m 700 "/srv/film spool $1 100%%"`, `BindPaths="/srv/film spool $1 100%%"`,
		}},
		{packaging.SystemUnit, Options{System: true, User: "kid", Args: []string{"run", "--state-dir", "/srv/a b"}}, []string{
			"User=kid", `BindPaths="/srv/a b"`,
		}},
	} {
		f := newFake(t, c.o.System)
		c.o.Executable = f.unit.o.Executable
		f.unit.template, f.unit.o = c.template, c.o
		text, err := f.unit.text(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range c.want {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("%+v: the unit lacks %q", c.o, line)
			}
		}
	}
}

// What systemd would misread, or what could not be written by the user that it
// makes for the while, is refused.
func TestUnitRefusesAStateFolder(t *testing.T) {
	for _, o := range []Options{
		{Args: []string{"run", "--state-dir", "/srv/a:b"}},
		{Args: []string{"run", "--state-dir", `/srv/"a"`}},
		{Args: []string{"run", "--state-dir", "/tmp/a"}},
		{Args: []string{"run", "--state-dir", "/var/tmp/a"}},
		{System: true, Args: []string{"run", "--state-dir", "/srv/a"}},
	} {
		f := newFake(t, o.System)
		f.unit.o.Args, f.unit.o.System = o.Args, o.System
		if text, err := f.unit.text(t.Context()); err == nil {
			t.Errorf("%+v was taken:\n%s", o, text)
		}
	}
}

// A package's unit fails where there are no walls; that is told with its remedy.
func TestWallFaultsAreExplained(t *testing.T) {
	for _, status := range wallFaults() {
		if got := failure("exit-code", status); !strings.Contains(got, "filmspool service install") {
			t.Errorf("%d: %s", status, got)
		}
	}
}
