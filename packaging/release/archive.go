package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file of an archive, or a folder if its name ends with a slash.
type entry struct {
	name    string
	mode    fs.FileMode
	content []byte
	owner   int // root, but for what a container writes
}

// archives packs each program with its documents: a zip for Windows, a tar
// for all others. Everything lies in one folder, so that unpacking litters
// nothing.
func (r *release) archives(context.Context) error {
	if !r.wants("archive") {
		return nil
	}
	return each(r.platforms, func(p platform) error {
		trees := []string{r.stage("bin", p.name), r.stage("all")}
		if p.os != "windows" {
			trees = append(trees, r.stage("unix"))
		}
		if p.os == "linux" {
			trees = append(trees, r.stage("linux"))
		}
		entries, err := gather(trees...)
		if err != nil {
			return err
		}
		var packed, out bytes.Buffer
		if p.os == "windows" {
			err = zipped(&out, r.fileName(p, ""), entries, r.when)
		} else if err = tarball(&packed, r.fileName(p, ""), entries, r.when); err == nil {
			err = compress(&out, packed.Bytes())
		}
		if err != nil {
			return err
		}
		return write(filepath.Join(r.into, r.archiveName(p)), out.Bytes())
	})
}

func (r *release) archiveName(p platform) string {
	if p.os == "windows" {
		return r.fileName(p, ".zip")
	}
	return r.fileName(p, ".tar.gz")
}

// gather reads all files below some folders, by name.
func gather(trees ...string) (entries []entry, err error) {
	for _, tree := range trees {
		err = errors.Join(err, filepath.WalkDir(tree, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(tree, file)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(file)
			entries = append(entries, entry{name: filepath.ToSlash(name), mode: modeOf(file), content: content})
			return err
		}))
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return entries, err
}

// tarball packs entries below one folder, all of one time.
func tarball(out io.Writer, folder string, entries []entry, when time.Time) error {
	t := tar.NewWriter(out)
	for _, e := range entries {
		h := tar.Header{
			Name: path.Join(folder, e.name), Mode: int64(e.mode), Size: int64(len(e.content)), Uid: e.owner, Gid: e.owner,
			ModTime: when, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if e.owner == 0 {
			h.Uname, h.Gname = "root", "root"
		}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		}
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return t.Close()
}

// zipped packs entries below one folder, all of one time.
func zipped(out io.Writer, folder string, entries []entry, when time.Time) error {
	z := zip.NewWriter(out)
	for _, e := range entries {
		h := zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: when.UTC()}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(&h)
		if err != nil {
			return err
		}
		if _, err := w.Write(e.content); err != nil {
			return err
		}
	}
	return z.Close()
}

// compress compresses content without a name and a time in it.
func compress(out io.Writer, content []byte) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = z.Write(content)
	return errors.Join(err, z.Close())
}
