package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// texts are what other package managers read, as templates. Each says what it
// needs with the functions url, sum and sri, and the name of a platform, or
// with script and the name of one of Arch Linux' scripts.
//
//go:embed all:texts
var texts embed.FS

// noArchive means that a text names an archive that was not made.
type noArchive struct{ platform string }

func (e *noArchive) Error() string { return "there is no archive for " + e.platform }

// texts writes the descriptions for Homebrew, winget, Scoop, the AUR and Nix,
// with the checksums of the archives that were made.
func (r *release) texts(context.Context) error {
	if !r.wants(kindTexts) {
		return nil
	}
	if strings.Contains(r.version, "-") {
		r.skip("the texts for other package managers", "they are for releases alone, not for what comes before one")
		return nil
	}
	return fs.WalkDir(texts, "texts", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		made, err := r.text(name)
		into := strings.TrimPrefix(name, "texts/")
		if lacking := new(noArchive); errors.As(err, &lacking) {
			r.skip(into, lacking.Error())
			return nil
		}
		if err != nil {
			return fmt.Errorf("write %s: %w", into, err)
		}
		return r.write(into, made)
	})
}

// text fills one template.
func (r *release) text(name string) ([]byte, error) {
	source, err := texts.ReadFile(name)
	if err != nil {
		return nil, err
	}
	// The marks are none that these languages know.
	t, err := template.New(path.Base(name)).Delims("<<", ">>").Funcs(template.FuncMap{
		"url": r.url, "sum": r.archiveSum, "sri": r.sri, "script": r.script,
	}).Parse(string(source))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]string{
		"Version": r.version, "Day": r.when.Format(time.DateOnly),
		"Home":    "https://github.com/filmspool/filmspool",
		"Summary": "Film and TV diary that loses nothing and doubles nothing",
	})
	return out.Bytes(), err
}

// url is where the archive for a platform will be.
func (r *release) url(name string) (string, error) {
	chosen, err := choosePlatforms(name)
	if err != nil {
		return "", err
	}
	return "https://github.com/filmspool/filmspool/releases/download/v" + r.version + "/" + r.archiveName(chosen[0]), nil
}

// archiveSum is the checksum of a platform's archive, in hexadecimal.
func (r *release) archiveSum(name string) (string, error) {
	sum, err := r.archiveBytes(name)
	return fmt.Sprintf("%x", sum), err
}

// sri is the same in the form that Nix and browsers write.
func (r *release) sri(name string) (string, error) {
	sum, err := r.archiveBytes(name)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum), err
}

func (r *release) archiveBytes(name string) ([]byte, error) {
	chosen, err := choosePlatforms(name)
	if err != nil {
		return nil, err
	}
	sum, err := r.sum(r.archiveName(chosen[0]))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &noArchive{platform: name}
	}
	return sum, err
}

// script is what the package for Arch Linux does at a moment of its life.
func (r *release) script(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(r.root, "packaging", "nfpm", "arch", name))
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n  "), err
}
