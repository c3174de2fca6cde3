package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/filmspool/filmspool/packaging"
)

// installed is where packages put the program.
const installed = "/usr/bin/filmspool"

// stage is a path among what is laid out for archives, packages and installers:
// "bin" has the programs with the lists of what is linked, "all" what every
// archive has, "unix" what those for other systems than Windows have too, "linux"
// what only those for Linux have, and "gz" what packages have compressed.
func (r *release) stage(parts ...string) string {
	return filepath.Join(append([]string{r.work, "stage"}, parts...)...)
}

// layOut prepares every file there, beside the programs. The program writes its
// man pages and completions itself.
func (r *release) layOut(ctx context.Context) error {
	if len(r.platforms) == 0 {
		return nil
	}
	writer := filepath.Join(r.work, "manual-writer")
	if err := r.compile(ctx, writer, tags+",manual", []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}); err != nil {
		return err
	}
	if _, err := r.tool(ctx, r.work, nil, writer, "manual", r.stage("all")); err != nil {
		return err
	}
	for name, text := range units() {
		if err := write(r.stage("linux", name), []byte(text)); err != nil {
			return err
		}
	}
	for name, into := range map[string]string{
		"README.md": "all/README.md", "LICENSE": "all/LICENSE", changelog: "all/" + filepath.Base(changelog),
		"daemon/page/static/icon.svg": "packaging/desktop/filmspool.svg", "packaging/desktop/filmspool.desktop": "packaging/desktop/filmspool.desktop",
	} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err := errors.Join(err, write(r.stage(into), text)); err != nil {
			return err
		}
	}
	return errors.Join(
		os.Mkdir(r.stage("unix"), 0o755), os.Rename(r.stage("all", "man1"), r.stage("unix", "man1")),
		os.CopyFS(r.stage("packaging/nfpm"), os.DirFS(filepath.Join(r.root, "packaging/nfpm"))),
		os.CopyFS(r.stage("packaging/windows"), os.DirFS(filepath.Join(r.root, "packaging/windows"))),
		r.fill("parts/changelog.yaml", r.stage("changelog.yaml"), r.notes),
		r.zip("unix/man1/*.1"), r.zip("all/README.md"), r.zip("bin/linux-*/third-party.txt"),
		r.settle(),
	)
}

// units are the texts that "filmspool service install" writes, for a program
// in the place where packages have it.
func units() map[string]string {
	fill := func(text, arguments string) string {
		return packaging.Fill(text, packaging.Command, installed+arguments, packaging.Executable, installed)
	}
	return map[string]string{
		"systemd/user/filmspool.service":    fill(packaging.UserUnit, " run"),
		"systemd/system/filmspool.service":  fill(packaging.SystemUnit, " run --system"),
		"systemd/sysusers.d/filmspool.conf": packaging.Sysusers,
		"openrc/filmspool":                  packaging.OpenRC,
	}
}

// zip puts a compressed copy of files into the folder "gz".
func (r *release) zip(pattern string) error {
	found, err := filepath.Glob(r.stage(pattern))
	for _, file := range found {
		content, wrong := os.ReadFile(file)
		err = errors.Join(err, wrong, write(r.stage("gz", strings.TrimPrefix(file, r.stage())+".gz"), content))
	}
	return err
}

// settle gives every file the release's time and a mode that no umask has
// touched: packages and installers keep both.
func (r *release) settle() error {
	return filepath.WalkDir(r.stage(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return errors.Join(os.Chmod(path, modeOf(path)), os.Chtimes(path, r.when, r.when))
	})
}

// modeOf is a file's mode in all that is made: programs and the scripts of
// packages can be run.
func modeOf(path string) fs.FileMode {
	name := filepath.Base(path)
	if name == "filmspool" || name == "filmspool.exe" || strings.Contains(filepath.ToSlash(path), "/packaging/nfpm/") {
		return 0o755
	}
	return 0o644
}

// write writes a file, and makes its folder. Where the name ends with ".gz", it
// compresses the content, without a name and a time in it.
func write(path string, content []byte) error {
	if strings.HasSuffix(path, ".gz") {
		var out bytes.Buffer
		z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, err = z.Write(content)
		if err := errors.Join(err, z.Close()); err != nil {
			return err
		}
		content = out.Bytes()
	}
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644))
}
