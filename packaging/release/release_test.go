package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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
	"github.com/filmspool/filmspool/packaging/readme"
)

func moment() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// made is a release for all platforms whose archives hold only their names.
func made(t *testing.T, names ...string) *release {
	t.Helper()
	chosen, err := choosePlatforms(strings.Join(names, ","))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{
		options: options{into: t.TempDir(), version: "1.2.3", only: []string{kindTexts}}, root: root, work: t.TempDir(),
		when: moment(), out: t.Output(),
	}
	for _, p := range chosen {
		if err := os.WriteFile(filepath.Join(r.into, r.archiveName(p)), []byte(p.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
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
		if !slices.Contains(r.made, name) {
			t.Errorf("%s was not made: %q", name, r.made)
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.into, name))
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, name, string(text))
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

// TestTextsWithoutArchives: a text whose archives are lacking is left out, and
// nothing else.
func TestTextsWithoutArchives(t *testing.T) {
	r := made(t, "windows-amd64", "windows-arm64")
	if err := r.texts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(r.made, "homebrew/filmspool.rb") || !slices.Contains(r.made, "scoop/filmspool.json") {
		t.Errorf("made %q", r.made)
	}
}

// TestSrcinfoSaysWhatPkgbuildDoes: the AUR has both, and makepkg writes the
// second from the first.
func TestSrcinfoSaysWhatPkgbuildDoes(t *testing.T) {
	r := made(t)
	if err := r.texts(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func(name, pattern string) []string {
		text, err := os.ReadFile(filepath.Join(r.into, "aur", name))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			found = append(found, m[1]+" "+m[2])
		}
		return found
	}
	one := read("PKGBUILD", `(?m)^((?:source|sha256sums)_\w+)=\('(.*)'\)$`)
	two := read(".SRCINFO", `(?m)^\t((?:source|sha256sums)_\w+) = (.*)$`)
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
		found, err := all.upTo(version, moment())
		if err != nil || strings.Join(found[0].points, "|") != want || found[0].version != version {
			t.Errorf("%s: %+v, %v", version, found, err)
		}
	}
	if _, err := all[1:].upTo("0.3.0", moment()); !errors.Is(err, errNoNotes) {
		t.Errorf("a version without notes: %v", err)
	}
	if _, err := parseNotes("## 0.1.0 - soon\n"); err == nil {
		t.Error("a day that is none was read")
	}
	var log []struct {
		Semver  string
		Date    time.Time
		Changes []struct{ Note string }
	}
	if _, err := yaml.Unmarshal(all[1:].packageChangelog(), &log, yaml.DecodeOpts{}); err != nil || len(log) != 2 || log[0].Semver != "0.2.0-1" || log[0].Changes[0].Note != "Two lines." {
		t.Errorf("the packages' changelog: %+v, %v", log, err)
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
	program, err := os.ReadFile("../../cmd/filmspool/main.go")
	if err != nil {
		t.Fatal(err)
	}
	own := regexp.MustCompile(`(?m)^var version = "(.*)"$`).FindSubmatch(program)
	if own == nil {
		t.Fatal("the program's version is not where the linker sets it")
	}
	found, err := all.upTo(string(own[1]), moment())
	if err != nil || len(found[0].points) == 0 {
		t.Errorf("nothing is written about %s: %v", own[1], err)
	}
}

// TestArchivesAreTheSame: neither the order nor the machine shows in them.
func TestArchivesAreTheSame(t *testing.T) {
	entries := []entry{{name: "filmspool", mode: 0o755, content: []byte("program")}, {name: "man1/a.1", mode: 0o644, content: []byte("page")}}
	for name, pack := range map[string]func(string, []entry, time.Time) ([]byte, error){"tar": tarball, "zip": zipped} {
		one, err := pack("folder", entries, moment())
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack("folder", entries, moment().In(time.FixedZone("elsewhere", 3600)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s: the time zone shows", name)
		}
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
	m := module{Path: "example.com/unknown", Dir: t.TempDir()}
	if err := m.readLicence(); err == nil {
		t.Error("a module without a licence was let through")
	}
}

// TestThirdParty: every licence stands there whole.
func TestThirdParty(t *testing.T) {
	text := string(thirdParty([]module{
		{Path: "example.com/a", Version: "v1.0.0", licence: "MIT", texts: []licenceText{{"LICENSE", "the words of a\n"}, {"NOTICE", "the notice of a\n"}}},
		{Path: goModule, Version: "1.26.0", licence: "BSD-3-Clause", texts: []licenceText{{"LICENSE", "the words of Go\n"}}},
	}))
	for _, want := range []string{
		"example.com/a v1.0.0 (MIT)", "https://example.com/a", "the words of a\n", "the notice of a\n", "the words of Go\n", "https://go.dev/dl/go1.26.0.src.tar.gz",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lacking in:\n%s", want, text)
		}
	}
}

// TestBill: one component for each module, all of them what the program
// depends on, and a serial number that the program decides.
func TestBill(t *testing.T) {
	modules := []module{{Path: "example.com/a", Version: "v1.0.0", licence: "MIT"}, {Path: goModule, Version: "1.26.0", licence: "BSD-3-Clause"}}
	text, err := billOf("1.2.3", moment(), []byte("program"), modules)
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != 2 || len(b.Dependencies) != 3 || len(b.Dependencies[0].DependsOn) != 2 || b.Dependencies[0].Ref != b.Metadata.Component.Ref {
		t.Errorf("%+v", b)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(b.Serial) {
		t.Errorf("serial number %q", b.Serial)
	}
	again, _ := billOf("1.2.3", moment(), []byte("program"), modules)
	other, _ := billOf("1.2.3", moment(), []byte("another"), modules)
	if !bytes.Equal(text, again) || bytes.Equal(text, other) {
		t.Error("the list is not decided by the program alone")
	}
}

// summary is the least of a package that stamp reads: a property set with the
// code and two times.
func summary() []byte {
	var s bytes.Buffer
	word := func(n uint32) { _ = binary.Write(&s, binary.LittleEndian, n) }
	s.Write(make([]byte, 28))
	s.Write([]byte{0xe0, 0x85, 0x9f, 0xf2, 0xf9, 0x4f, 0x68, 0x10, 0xab, 0x91, 0x08, 0x00, 0x2b, 0x27, 0xb3, 0xd9})
	for _, n := range []uint32{48, 200, 3, propertyCode, 32, propertyCreated, 80, propertySaved, 92} {
		word(n)
	}
	word(kindText)
	word(39)
	s.WriteString("{00000000-0000-0000-0000-000000000000}\x00\x00")
	for range 2 {
		word(kindTime)
		word(1)
		word(2)
	}
	s.Write(make([]byte, 64))
	return s.Bytes()
}

func TestStamp(t *testing.T) {
	const code = "11111111-2222-3333-4444-555555555555"
	msi := append([]byte("before "), summary()...)
	if err := stamp(msi, code, moment()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(msi, []byte("{"+code+"}\x00")) {
		t.Error("the code is not there")
	}
	ticks := binary.LittleEndian.AppendUint64([]byte{kindTime, 0, 0, 0}, uint64(moment().Unix()+11644473600)*10_000_000)
	if bytes.Count(msi, ticks) != 2 {
		t.Error("the two times are not there")
	}
	for name, broken := range map[string][]byte{
		"nothing": nil, "no summary": []byte(strings.Repeat("x", 200)), "cut": summary()[:60], "another kind of value": bytes.ReplaceAll(summary(), []byte{kindTime, 0, 0, 0}, []byte{3, 0, 0, 0}),
	} {
		if err := stamp(broken, code, moment()); !errors.Is(err, errSummary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPlatforms: names are unique and survive being chosen.
func TestPlatforms(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range platforms() {
		if seen[p.String()] {
			t.Errorf("%s is there twice", p)
		}
		seen[p.String()] = true
	}
	chosen, err := choosePlatforms("linux-armv6,windows-arm64")
	if err != nil || len(chosen) != 2 || chosen[0].recipeArch() != "arm6" || chosen[0].imageArch() != "arm/v6" || chosen[1].program() != "filmspool.exe" {
		t.Errorf("%+v, %v", chosen, err)
	}
	if _, err := choosePlatforms("linux-mips"); err == nil {
		t.Error("a platform that does not exist was chosen")
	}
	if served("deb", platform{os: "linux", arch: "arm", arm: "7"}) || !served("deb", platform{os: "linux", arch: "arm", arm: "6"}) {
		t.Error("armhf would be made twice, or not at all")
	}
}

func TestParse(t *testing.T) {
	for _, wrong := range [][]string{{}, {"one", "two"}, {"--only", "flatpak", "x"}, {"--certificate", "c.pem", "x"}, {"--version", "v1.0.0", "x"}, {"--version", "1.0.0-rc.1", "x"}, {"--version", "1.0.0 -X main.secret=1", "x"}} {
		if _, err := parse(wrong); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	o, err := parse([]string{"--only", "deb,rpm", "--platforms", "linux-amd64", "--version", "1.0.0", "out"})
	if err != nil || !slices.Equal(o.only, []string{"deb", "rpm"}) || len(o.platforms) != 1 || !filepath.IsAbs(o.into) {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestReleaseNotes: the page has what is new with its limits, how to check what
// was taken, and the checksum of every file; and is in the sums itself.
func TestReleaseNotes(t *testing.T) {
	r := made(t, "linux-amd64", "windows-arm64")
	r.version, r.made = "0.1.0", []string{"filmspool-0.1.0-windows-arm64.zip", "filmspool-0.1.0-linux-amd64.tar.gz"}
	for _, name := range r.made {
		if err := os.WriteFile(filepath.Join(r.into, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(r.readNotes(t.Context()), r.finish(t.Context())); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(r.into, "release-notes.md"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := []string{"# Filmspool 0.1.0\n", "### Known limits", "sha256sum --check", "| file |"}
	for _, name := range []string{"filmspool-0.1.0-windows-arm64.zip", "filmspool-0.1.0-linux-amd64.tar.gz"} {
		wanted = append(wanted, fmt.Sprintf("| `%s` | %d | `%x` |", name, len(name), sha256.Sum256([]byte(name))))
	}
	for _, want := range wanted {
		if !strings.Contains(string(page), want) {
			t.Errorf("the notes lack %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(page), "minisign") {
		t.Error("the notes tell to check a signature that was not made")
	}
	list, err := os.ReadFile(filepath.Join(r.into, sums))
	if err != nil || !strings.Contains(string(list), fmt.Sprintf("%x  release-notes.md\n", sha256.Sum256(page))) {
		t.Errorf("the sums lack the notes: %v\n%s", err, list)
	}
	if len(r.notes[0].points) < 5 || strings.Contains(strings.Join(r.notes[0].points, ""), "Wine") {
		t.Errorf("what the packages' changelogs say: %q", r.notes[0].points)
	}
}

// TestAddons: what an add-on calls another version is not handed out.
func TestAddons(t *testing.T) {
	r, from := made(t), t.TempDir()
	for _, name := range []string{"filmspool-1.2.3-firefox.zip", "filmspool-1.2.2-chromium.zip", "service.filmspool-1.2.3-arm.zip"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.addonsIn(from); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.made, []string{"filmspool-1.2.3-firefox.zip", "service.filmspool-1.2.3-arm.zip"}) {
		t.Errorf("made %q", r.made)
	}
	info, err := os.Stat(filepath.Join(r.into, r.made[0]))
	if err != nil || info.Mode() != 0o644 || !info.ModTime().Equal(r.when) {
		t.Errorf("%v, %v", info, err)
	}
}

// TestReadmeNamesThisRelease: each file that a page tells people to download
// has the version of the program, and is made for a platform that there is.
func TestReadmeNamesThisRelease(t *testing.T) {
	pages, err := readme.Pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	for _, p := range pages {
		page.WriteString(p.Text)
	}
	source, err := os.ReadFile("../../cmd/filmspool/main.go")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^var version = "(.+)"$`).FindSubmatch(source)
	if version == nil {
		t.Fatal("the program has no version")
	}
	r := &release{options: options{version: string(version[1])}}
	made := map[string]bool{}
	for _, p := range platforms() {
		made[r.archiveName(p)] = true
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
