package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"
)

// archives packs each program with its documents: a zip for Windows, a tar
// for all others. Everything lies in one folder, so that unpacking litters
// nothing.
func (r *release) archives(context.Context) error {
	return each(r.of("archive"), func(p platform) error {
		trees := []string{r.stage("bin", p.name), r.stage("all")}
		if p.os != "windows" {
			trees = append(trees, r.stage("unix"))
		}
		if p.os == "linux" {
			trees = append(trees, r.stage("linux"))
		}
		files, err := r.gather(r.fileName(p, ""), trees...)
		if err != nil {
			return err
		}
		if p.os != "windows" {
			return tarball(filepath.Join(r.into, r.archiveName(p.name)), files)
		}
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		if err := errors.Join(z.AddFS(files), z.Close()); err != nil {
			return err
		}
		return write(filepath.Join(r.into, r.archiveName(p.name)), out.Bytes())
	})
}

// archiveName is how the archive for a platform is called.
func (r *release) archiveName(platform string) string {
	ending := ".tar.gz"
	if strings.HasPrefix(platform, "windows-") {
		ending = ".zip"
	}
	return "filmspool-" + r.version + "-" + platform + ending
}

// file is one of an archive, or a folder: of the release's time, and root's.
func (r *release) file(mode fs.FileMode, content []byte) *fstest.MapFile {
	return &fstest.MapFile{Mode: mode, Data: content, ModTime: r.when, Sys: &tar.Header{Uname: "root", Gname: "root"}}
}

// gather reads all below some folders, as it stands below one folder of an archive.
func (r *release) gather(top string, folders ...string) (fstest.MapFS, error) {
	files := fstest.MapFS{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(place string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(folder, place)
			file := r.file(fs.ModeDir|0o755, nil)
			if err == nil && !d.IsDir() {
				file.Mode = modeOf(place)
				file.Data, err = os.ReadFile(place)
			}
			files[path.Join(top, filepath.ToSlash(name))] = file
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// tarball packs files in the order of their names.
func tarball(into string, files fs.FS) error {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	if err := errors.Join(t.AddFS(files), t.Close()); err != nil {
		return err
	}
	return write(into, out.Bytes())
}
