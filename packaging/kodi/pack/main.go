// Command pack builds the program for every architecture of LibreELEC and
// CoreELEC and writes the archives of the add-on into a folder:
//
//	go run ./packaging/kodi/pack dist
//	go run ./packaging/kodi/pack dist x86_64    # only this one
//
// It needs Go, runs within the repository, and makes the same bytes from the
// same files with the same release of Go.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/packaging/kodi"
)

// module is the one whose program is packed.
const module = "github.com/filmspool/filmspool"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER [ARCHITECTURE]...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run packs for the named architectures, or for all, and prints each archive's
// hash, size and name.
func run(ctx context.Context, folder string, only []string, out io.Writer) error {
	wanted := slices.DeleteFunc(kodi.Architectures(), func(a kodi.Architecture) bool { return len(only) > 0 && !slices.Contains(only, a.Name) })
	if len(wanted) < len(only) {
		return fmt.Errorf("not all of these are architectures: %q", only)
	}
	version, err := kodi.Version()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for _, a := range wanted {
		archive, err := pack(ctx, a)
		if err != nil {
			return err
		}
		name := filepath.Join(folder, kodi.Name(version, a))
		if err := os.WriteFile(name, archive, 0o644); err != nil {
			return fmt.Errorf("write archive: %w", err)
		}
		fmt.Fprintf(out, "%x  %8d  %s\n", sha256.Sum256(archive), len(archive), name)
	}
	return nil
}

// pack is the archive for one architecture.
func pack(ctx context.Context, a kodi.Architecture) ([]byte, error) {
	executable, err := build(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("build for %s: %w", a.Name, err)
	}
	licences, err := licences(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("gather the licences for %s: %w", a.Name, err)
	}
	var archive bytes.Buffer
	if err := kodi.Pack(&archive, a, executable, licences); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}

// build is the program, with nothing in it of the machine that built it.
func build(ctx context.Context, a kodi.Architecture) (executable []byte, err error) {
	dir, err := os.MkdirTemp("", "filmspool-pack")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	to := filepath.Join(dir, "filmspool")
	_, err = ask(ctx, a, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-tags=nethttpomithttp2", "-o", to, module+"/cmd/filmspool")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(to)
}

// ask runs one command of Go for an architecture and returns what it prints.
// What the environment says about building is overruled: it would show.
func ask(ctx context.Context, a kodi.Architecture, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=-mod=readonly"), a.Settings...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, &said)
	}
	return strings.TrimSpace(string(out)), nil
}
