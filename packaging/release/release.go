package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The most that a program and a package may take, in bytes.
const (
	maxProgram = 17 << 20
	maxPackage = 8_000_000
)

// release is one release while it is made.
type release struct {
	options
	root  string // the repository
	work  string // for what is not handed out, gone in the end
	when  time.Time
	notes notes
	built []build
	made  []string // names in the folder
	out   io.Writer
}

// make does everything in order.
func (r *release) make(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		r.begin, r.manual, r.readNotes, r.buildAll, r.layOut, r.archives,
		r.linuxPackages, r.installers, r.image, r.texts, r.addons, r.finish,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// begin finds the repository and the time, and an empty folder: what an older
// run left there would be signed along.
func (r *release) begin(ctx context.Context) error {
	mod, err := r.goTool(ctx, ".", "env", "GOMOD")
	if err != nil {
		return err
	}
	r.root = filepath.Dir(strings.TrimSpace(mod))
	if r.when, err = r.sourceTime(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(r.into, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	entries, err := os.ReadDir(r.into)
	if err != nil {
		return fmt.Errorf("read folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", r.into)
	}
	return nil
}

// sourceTime is the time of everything that is made.
func (r *release) sourceTime(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		said, err := r.tool(ctx, r.root, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, fmt.Errorf("read the last commit's time (or set SOURCE_DATE_EPOCH): %w", err)
		}
		text = strings.TrimSpace(said)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// wants reports whether a kind is to be made.
func (r *release) wants(kind string) bool { return slices.Contains(r.only, kind) }

// skip says what is not made, and why.
func (r *release) skip(what, why string) { fmt.Fprintf(r.out, "skipped  %s: %s\n", what, why) }

// add notes a file of the folder, bounded by most (bytes) unless that is 0.
func (r *release) add(name string, most int64) error {
	info, err := os.Stat(filepath.Join(r.into, name))
	if err != nil {
		return fmt.Errorf("look at what was made: %w", err)
	}
	fmt.Fprintf(r.out, "made  %10d  %s\n", info.Size(), name)
	if most > 0 && info.Size() > most {
		return fmt.Errorf("%s has %d bytes, at most %d", name, info.Size(), most)
	}
	r.made = append(r.made, name)
	return nil
}

// write puts a text into the folder.
func (r *release) write(name string, content []byte) error {
	if err := r.put(filepath.Join(r.into, name), content, 0o644); err != nil {
		return err
	}
	return r.add(name, 0)
}

// put writes a file with the release's time and exactly this mode.
func (r *release) put(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return r.settle(path, mode)
}

// settle gives a file the release's time and a mode that no umask has touched.
func (r *release) settle(path string, mode fs.FileMode) error {
	return errors.Join(os.Chmod(path, mode), os.Chtimes(path, r.when, r.when))
}
