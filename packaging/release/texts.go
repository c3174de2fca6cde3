package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// templates are what other package managers read (texts), and what stands in
// the products of a release (parts).
//
//go:embed all:texts parts
var templates embed.FS

// home is the project's page.
const home = "https://github.com/filmspool/filmspool"

// texts writes the descriptions for Homebrew, winget, Scoop, the AUR and Nix.
// They name archives for many platforms, so a part of a release has none.
func (r *release) texts(context.Context) error {
	if !r.wants("texts") {
		return nil
	}
	if strings.Contains(r.version, "-") || !r.wants("archive") || len(r.platforms) < len(platforms()) {
		fmt.Fprintln(r.out, "skipped  the texts for other package managers: they are for whole releases, not for what comes before one")
		return nil
	}
	return fs.WalkDir(templates, "texts", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return r.fill(name, filepath.Join(r.into, strings.TrimPrefix(name, "texts/")), map[string]string{
			"Version": r.version, "Day": r.when.Format(time.DateOnly), "Home": home,
			"Summary": "Film and TV diary that loses nothing and doubles nothing",
		})
	})
}

// fill writes a file from a template. Its marks are none that the languages of
// the texts know. With functions it says what it needs: url, sum and sri take the
// name of a platform, and script the name of one of Arch Linux' scripts.
func (r *release) fill(name, into string, values any) error {
	sum := func(name string) (sum [sha256.Size]byte, err error) {
		content, err := os.ReadFile(filepath.Join(r.into, r.archiveName(name)))
		return sha256.Sum256(content), err
	}
	t, err := template.New(path.Base(name)).Delims("<<", ">>").Funcs(template.FuncMap{
		"url": func(name string) string {
			return home + "/releases/download/v" + r.version + "/" + r.archiveName(name)
		},
		"sum": func(name string) (string, error) {
			s, err := sum(name)
			return hex.EncodeToString(s[:]), err
		},
		"sri": func(name string) (string, error) {
			s, err := sum(name)
			return "sha256-" + base64.StdEncoding.EncodeToString(s[:]), err
		},
		"script": func(name string) (string, error) {
			text, err := os.ReadFile(filepath.Join(r.root, "packaging", "nfpm", "arch", name))
			return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n  "), err
		},
	}).ParseFS(templates, name)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, values); err != nil {
		return fmt.Errorf("fill %s: %w", name, err)
	}
	return write(into, out.Bytes())
}
