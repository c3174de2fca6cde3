package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// The file with the ticket is removed if the terminal is closed before a browser signs in.
func TestClosedTerminalLeavesNoTicket(t *testing.T) {
	h := newFixture(t)
	h.start("run")
	blind := t.TempDir()
	must(t, os.WriteFile(filepath.Join(blind, "xdg-open"), []byte("#!/bin/sh\n: >$HOME/came\n"), 0o700))
	h.env = append(h.env, "PATH="+blind+":"+os.Getenv("PATH"))
	cmd := h.command(t.Context(), "open")
	must(t, cmd.Start())
	await(t.Fatalf, h.dir, "a browser", func() (os.FileInfo, error) { return os.Stat(filepath.Join(h.dir, "came")) }, func(os.FileInfo) bool { return true })
	must(t, cmd.Process.Signal(syscall.SIGHUP))
	_ = cmd.Wait() // it fails: no browser signed in
	if left, _ := filepath.Glob(filepath.Join(h.dir, "filmspool-open-*")); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}
