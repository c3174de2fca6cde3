// Command pack writes the archives of the browser extension into a folder:
//
//	go run ./connector/extension/pack dist
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/filmspool/filmspool/connector/extension"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pack FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run packs for every target and prints each archive's hash, size and name.
func run(folder string, out io.Writer) error {
	source, err := extension.Source()
	if err != nil {
		return err
	}
	version, err := extension.Version(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for _, target := range extension.Targets() {
		name := filepath.Join(folder, extension.Name(version, target))
		if err := pack(name, source, target, out); err != nil {
			return err
		}
	}
	return nil
}

// pack writes one archive, whole or not at all.
func pack(name string, source fs.FS, target extension.Target, out io.Writer) error {
	var archive bytes.Buffer
	if err := extension.Pack(&archive, source, target); err != nil {
		return err
	}
	if err := os.WriteFile(name, archive.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	_, err := fmt.Fprintf(out, "%x  %7d  %s\n", sha256.Sum256(archive.Bytes()), archive.Len(), name)
	return err
}
