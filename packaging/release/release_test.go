package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oasdiff/yaml"

	"github.com/filmspool/filmspool/connector/extension"
	"github.com/filmspool/filmspool/packaging/kodi"
)

func moment() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// made is a release for all platforms whose archives hold only their names.
func made(t *testing.T, names ...string) *release {
	t.Helper()
	chosen, err := choose(strings.Join(names, ","), platforms(), platform.String)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{
		options: options{into: t.TempDir(), version: "1.2.3", only: []string{"archive", "texts"}, platforms: chosen}, root: root, work: t.TempDir(),
		when: moment(), out: t.Output(),
	}
	for _, p := range chosen {
		if err := os.WriteFile(filepath.Join(r.into, r.archiveName(p.name)), []byte(p.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// read is a file of the release's folder.
func read(t *testing.T, r *release, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.into, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTexts: each text names archives of this version with their checksums,
// and reads as its language.
func TestTexts(t *testing.T) {
	r := made(t)
	if err := r.texts(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"aur/.SRCINFO", "aur/PKGBUILD", "aur/filmspool.install", "homebrew/filmspool.rb", "nix/package.nix", "scoop/filmspool.json",
		"winget/Filmspool.Filmspool.installer.yaml", "winget/Filmspool.Filmspool.locale.en-US.yaml", "winget/Filmspool.Filmspool.yaml",
	} {
		checkText(t, name, read(t, r, name))
	}
}

func checkText(t *testing.T, name, text string) {
	t.Helper()
	if strings.Contains(text, ">>") && !strings.Contains(text, ">>&1") && !strings.Contains(text, ">/dev/null") {
		t.Errorf("%s: a mark is left", name)
	}
	archive := regexp.MustCompile(`filmspool-1\.2\.3-([a-z0-9]+-[a-z0-9]+)\.(tar\.gz|zip)`)
	for _, found := range archive.FindAllStringSubmatch(text, -1) {
		sum := sha256.Sum256([]byte(found[1]))
		if hex := fmt.Sprintf("%x", sum); !strings.Contains(text, hex) && !strings.Contains(name, "nix/") {
			t.Errorf("%s names %s without its checksum", name, found[0])
		}
	}
	var any any
	var err error
	switch filepath.Ext(name) {
	case ".json":
		err = json.Unmarshal([]byte(text), &any)
	case ".yaml":
		_, err = yaml.Unmarshal([]byte(text), &any, yaml.DecodeOpts{})
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestSrcinfoSaysWhatPkgbuildDoes: the AUR has both, and makepkg writes the
// second from the first.
func TestSrcinfoSaysWhatPkgbuildDoes(t *testing.T) {
	r := made(t)
	if err := r.texts(t.Context()); err != nil {
		t.Fatal(err)
	}
	sources := func(name, pattern string) (found []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(read(t, r, "aur/"+name), -1) {
			found = append(found, m[1]+" "+m[2])
		}
		return found
	}
	one := sources("PKGBUILD", `(?m)^((?:source|sha256sums)_\w+)=\('(.*)'\)$`)
	two := sources(".SRCINFO", `(?m)^\t((?:source|sha256sums)_\w+) = (.*)$`)
	slices.Sort(one)
	slices.Sort(two)
	if len(one) != 12 || !slices.Equal(one, two) {
		t.Errorf("PKGBUILD: %q\n.SRCINFO: %q", one, two)
	}
}

// TestNotes: a version's notes are its section, else what is unreleased.
func TestNotes(t *testing.T) {
	all, err := parseNotes("# News\n\nWords.\n\n## Unreleased\n\n- Soon.\n\n## 0.2.0 - 2026-11-20\n\n- Two\n  lines.\n- One.\n\n### Known limits\n\n- None.\n\n## 0.1.0 - 2026-10-01\n\n- First.\n")
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	for version, want := range map[string]string{"0.2.0": "Two lines.|One.", "0.1.0": "First.", "0.3.0": "Soon."} {
		found, err := upTo(all, version, moment())
		if err != nil || strings.Join(found[0].Points, "|") != want || found[0].Version != version {
			t.Errorf("%s: %+v, %v", version, found, err)
		}
	}
	if _, err := upTo(all[1:], "0.3.0", moment()); !errors.Is(err, errNoNotes) {
		t.Errorf("a version without notes: %v", err)
	}
	if _, err := parseNotes("## 0.1.0 - soon\n"); err == nil {
		t.Error("a day that is none was read")
	}
}

// TestChangelogIsReadable holds the real one.
func TestChangelogIsReadable(t *testing.T) {
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseNotes(string(text))
	if err != nil {
		t.Fatal(err)
	}
	version, err := ownVersion("../..")
	if err != nil {
		t.Fatal(err)
	}
	found, err := upTo(all, version, moment())
	if err != nil || len(found[0].Points) == 0 {
		t.Errorf("nothing is written about %s: %v", version, err)
	}
}

// TestRecognize: what is not known for certain is not known.
func TestRecognize(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                        "Apache-2.0",
		"Mozilla Public License Version 2.0":                                                  "MPL-2.0",
		"Redistribution and use in source and binary\nforms … to endorse or promote products": "BSD-3-Clause",
		"Redistribution and use in source and binary forms":                                   "BSD-2-Clause",
		"Permission is hereby granted, free of charge, to any person":                         "MIT",
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                "",
		"":                                                                                    "",
	} {
		if got := recognize(text); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
	m := module{Path: "example.com/unknown"}
	if err := m.readLicence(t.TempDir()); err == nil {
		t.Error("a module without a licence was let through")
	}
}

// TestReadmeNamesThisRelease: each file that a page tells people to download
// has the version of the program, and is made for a platform that there is.
func TestReadmeNamesThisRelease(t *testing.T) {
	var page strings.Builder
	for _, name := range []string{"README.md", "packaging/INSTALL.md"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		page.Write(text)
	}
	version, err := ownVersion("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{options: options{version: version}}
	made := map[string]bool{}
	for _, p := range platforms() {
		made[r.archiveName(p.name)] = true
	}
	for _, target := range extension.Targets() {
		made[extension.Name(r.version, target)] = true
	}
	for _, a := range kodi.Architectures() {
		made[kodi.Name(r.version, a)] = true
	}
	archives := 0
	for _, n := range regexp.MustCompile(`(?:service\.)?filmspool[-_](\d+\.\d+\.\d+)[\w.+-]*`).FindAllStringSubmatch(page.String(), -1) {
		if n[1] != r.version {
			t.Errorf("a page names %s, the program is %s", n[0], r.version)
		}
		if strings.HasSuffix(n[0], ".tar.gz") || strings.HasSuffix(n[0], ".zip") {
			archives++
			if !made[n[0]] {
				t.Errorf("a page names %s, which is never made", n[0])
			}
		}
	}
	if archives == 0 {
		t.Error("no page names an archive")
	}
}
