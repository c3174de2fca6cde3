package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// maxPackage is the most that something to download may take, in bytes. The image
// has no bound of its own: its programs are bounded, and not compressed twice.
const maxPackage = 11_000_000

// product is a file of the folder.
type product struct {
	Name string
	Size int
	Sum  string
}

// finish writes the notes and the checksums of all that was made, and signs
// those.
func (r *release) finish(ctx context.Context) error {
	made, err := r.products()
	if err != nil {
		return err
	}
	err = r.fill("parts/notes.md", filepath.Join(r.into, "release-notes.md"), map[string]any{
		"Version": r.version, "News": r.notes[0].Body, "Made": made, "Signed": r.minisignKey != "", "Certified": r.certificate != "",
	})
	if err != nil {
		return err
	}
	if made, err = r.products(); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, p := range made {
		fmt.Fprintf(r.out, "made  %10d  %s\n", p.Size, p.Name)
		if p.Size > maxPackage && !strings.HasSuffix(p.Name, "-oci.tar") {
			return fmt.Errorf("%s has %d bytes, at most %d", p.Name, p.Size, maxPackage)
		}
		fmt.Fprintf(&sums, "%s  %s\n", p.Sum, p.Name)
	}
	if err := write(filepath.Join(r.into, "SHA256SUMS"), sums.Bytes()); err != nil {
		return err
	}
	if r.minisignKey == "" {
		fmt.Fprintln(r.out, "skipped  the signature of SHA256SUMS: no --minisign-key")
		return nil
	}
	// A comment of our own, since minisign's would be the time of day.
	_, err = r.tool(ctx, r.into, nil, "minisign", "-S", "-s", r.minisignKey, "-m", "SHA256SUMS",
		"-c", "signature of Filmspool's releases", "-t", "filmspool "+r.version)
	if err != nil {
		return fmt.Errorf("sign SHA256SUMS: %w", err)
	}
	return nil
}

// products lists what was made, by name.
func (r *release) products() (made []product, err error) {
	files, err := r.gather("", r.into)
	if err != nil {
		return nil, fmt.Errorf("list what was made: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if f := files[name]; !f.Mode.IsDir() {
			made = append(made, product{name, len(f.Data), fmt.Sprintf("%x", sha256.Sum256(f.Data))})
		}
	}
	return made, nil
}
