package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/filmspool/filmspool/packaging"
)

// installed is where packages put the program.
const installed = "/usr/bin/filmspool"

// stage is a path among what is laid out for packages.
func (r *release) stage(parts ...string) string {
	return filepath.Join(append([]string{r.work, "stage"}, parts...)...)
}

// layOut prepares every file that a package may hold, each with the time and
// the mode it keeps there.
func (r *release) layOut(context.Context) error {
	for _, step := range []func() error{r.layOutManual, r.layOutUnits, r.layOutDocs, r.layOutLists} {
		if err := step(); err != nil {
			return fmt.Errorf("lay out: %w", err)
		}
	}
	return nil
}

func (r *release) layOutManual() error {
	pages, err := filepath.Glob(filepath.Join(r.work, "manual", "man1", "*.1"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := r.pack(page, r.stage("man1", filepath.Base(page)+".gz")); err != nil {
			return err
		}
	}
	for _, name := range completions() {
		if err := r.copy(filepath.Join(r.work, "manual", "completions", name), r.stage("completions", name), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func completions() []string {
	return []string{"filmspool.bash", "_filmspool", "filmspool.fish", "filmspool.ps1"}
}

// units are the texts that "filmspool service install" writes, for a program
// in the place where packages have it.
func units() map[string]string {
	fill := func(text, arguments string) string {
		return packaging.Fill(text, packaging.Command, installed+arguments, packaging.Executable, installed,
			packaging.State, packaging.UsualState)
	}
	return map[string]string{
		"systemd/user/filmspool.service":    fill(packaging.UserUnit, " run"),
		"systemd/system/filmspool.service":  fill(packaging.SystemUnit, " run --system"),
		"systemd/sysusers.d/filmspool.conf": packaging.Sysusers,
	}
}

func (r *release) layOutUnits() error {
	for name, text := range units() {
		if err := r.put(r.stage(filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return r.put(r.stage("openrc", "filmspool"), []byte(packaging.OpenRC), 0o755)
}

func (r *release) layOutDocs() error {
	for _, name := range []string{"README.md", "LICENSE", changelog} {
		if err := r.copy(filepath.Join(r.root, name), r.stage("doc", filepath.Base(name)), 0o644); err != nil {
			return err
		}
	}
	licence, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return err
	}
	if err := r.put(r.stage("doc", "copyright"), copyright(string(licence)), 0o644); err != nil {
		return err
	}
	if err := r.copy(filepath.Join(r.root, "packaging", "nfpm", "deb", "lintian-overrides"), r.stage("lintian"), 0o644); err != nil {
		return err
	}
	if err := r.pack(r.stage("doc", "README.md"), r.stage("doc", "README.md.gz")); err != nil {
		return err
	}
	return r.put(r.stage("changelog.yaml"), r.notes.packageChangelog(), 0o644)
}

// layOutLists puts beside each program what is linked into it.
func (r *release) layOutLists() error {
	for _, b := range r.built {
		name := filepath.Join(filepath.Dir(b.path), "third-party.txt")
		if err := r.put(name, thirdParty(b.modules), 0o644); err != nil {
			return err
		}
		if err := r.pack(name, name+".gz"); err != nil {
			return err
		}
		if err := r.writeBill(b); err != nil {
			return err
		}
	}
	return nil
}

// copyright is Debian's form of it (the specification copyright-format/1.0).
func copyright(licence string) []byte {
	var out strings.Builder
	out.WriteString("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n" +
		"Upstream-Name: Filmspool\nSource: https://github.com/filmspool/filmspool\n" +
		"Comment: What is linked into the program stands in third-party.txt.gz beside\n" +
		" this file, with the licences of all.\n\nFiles: *\n")
	_, rest, _ := strings.Cut(licence, "Copyright ")
	holder, terms, _ := strings.Cut(rest, "\n")
	fmt.Fprintf(&out, "Copyright: %s\nLicense: Expat\n", strings.TrimPrefix(holder, "(c) "))
	for line := range strings.Lines(strings.TrimSpace(terms) + "\n") {
		if line == "\n" {
			line = ".\n"
		}
		out.WriteString(" " + line)
	}
	return []byte(out.String())
}

// copy copies a file of ours.
func (r *release) copy(from, to string, mode os.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return r.put(to, content, mode)
}

// pack compresses a file without its name and time in it.
func (r *release) pack(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return r.put(to, out.Bytes(), 0o644)
}
