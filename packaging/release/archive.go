package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// archives packs each program with its documents: a zip for Windows, a tar
// for all others. Everything lies in one folder, so that unpacking litters
// nothing.
func (r *release) archives(context.Context) error {
	if !r.wants(kindArchive) {
		return nil
	}
	for _, b := range r.built {
		entries, err := r.entries(b)
		if err != nil {
			return fmt.Errorf("gather the archive for %s: %w", b.platform, err)
		}
		pack, name := tarball, r.archiveName(b.platform)
		if b.os == "windows" {
			pack = zipped
		}
		content, err := pack(r.fileName(b.platform, ""), entries, r.when)
		if err != nil {
			return fmt.Errorf("pack the archive for %s: %w", b.platform, err)
		}
		if err := os.WriteFile(filepath.Join(r.into, name), content, 0o644); err != nil {
			return fmt.Errorf("write archive: %w", err)
		}
		if err := r.add(name, maxPackage); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) archiveName(p platform) string {
	if p.os == "windows" {
		return r.fileName(p, ".zip")
	}
	return r.fileName(p, ".tar.gz")
}

// entries are the files of one platform's archive, sorted by name.
func (r *release) entries(b build) ([]entry, error) {
	files := map[string]string{ // name in the archive → file
		b.program():       b.path,
		"third-party.txt": filepath.Join(filepath.Dir(b.path), "third-party.txt"),
		"LICENSE":         r.stage("doc", "LICENSE"),
		"README.md":       r.stage("doc", "README.md"),
		"CHANGELOG.md":    r.stage("doc", "CHANGELOG.md"),
	}
	for _, name := range completions() {
		files["completions/"+name] = r.stage("completions", name)
	}
	if b.os != "windows" {
		pages, err := filepath.Glob(filepath.Join(r.work, "manual", "man1", "*.1"))
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			files["man1/"+filepath.Base(page)] = page
		}
	}
	if b.os == "linux" {
		for name := range units() {
			files[name] = r.stage(filepath.FromSlash(name))
		}
		files["openrc/filmspool"] = r.stage("openrc", "filmspool")
	}
	return gather(files)
}

func gather(files map[string]string) ([]entry, error) {
	var entries []entry
	for name, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(name, "filmspool") || strings.HasPrefix(name, "openrc/") {
			mode = 0o755
		}
		entries = append(entries, entry{name: name, mode: mode, content: content})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, nil
}

// tarball packs entries below one folder, all of one time and owner.
func tarball(folder string, entries []entry, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, e := range entries {
		err := t.WriteHeader(&tar.Header{
			Name: path.Join(folder, e.name), Mode: int64(e.mode), Size: int64(len(e.content)),
			ModTime: when, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR, Uname: "root", Gname: "root",
		})
		if err != nil {
			return nil, err
		}
		if _, err := t.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// zipped packs entries below one folder, all of one time.
func zipped(folder string, entries []entry, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		h := zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: when.UTC()}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(&h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
