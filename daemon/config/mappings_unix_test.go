//go:build unix

package config

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe would be read for ever, and hold whoever asks for the mappings.
func TestMappingsOfAPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mappings.toml")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadMappings(file); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
