package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// sums is the file with the checksum of every other.
const sums = "SHA256SUMS"

// finish writes the notes and the checksums of all that was made, and signs
// those.
func (r *release) finish(ctx context.Context) error {
	slices.Sort(r.made)
	if err := r.writeNotes(); err != nil {
		return err
	}
	slices.Sort(r.made)
	var list bytes.Buffer
	for _, name := range r.made {
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sum, name)
	}
	if err := r.write(sums, list.Bytes()); err != nil {
		return err
	}
	if r.minisignKey == "" {
		r.skip("the signature of "+sums, "no --minisign-key")
		return nil
	}
	if why := missing("minisign"); why != "" {
		return fmt.Errorf("sign %s: %s", sums, why)
	}
	// A comment of our own, since minisign's would be the time of day.
	_, err := r.tool(ctx, r.into, nil, "minisign", "-S", "-s", r.minisignKey, "-m", sums,
		"-c", "signature of Filmspool's releases", "-t", "filmspool "+r.version)
	if err != nil {
		return fmt.Errorf("sign %s: %w", sums, err)
	}
	return r.add(sums+".minisig", 0)
}

// sum is the SHA-256 of a file in the folder.
func (r *release) sum(name string) ([]byte, error) {
	f, err := os.Open(filepath.Join(r.into, name))
	if err != nil {
		return nil, fmt.Errorf("sum up: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fmt.Errorf("sum up %s: %w", name, err)
	}
	return h.Sum(nil), nil
}
