package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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

// TestTextsOfParts: a part of a release, and what comes before one, has no texts.
func TestTextsOfParts(t *testing.T) {
	part, candidate := made(t, "windows-amd64", "windows-arm64"), made(t)
	candidate.version = "1.2.3-rc1"
	for _, r := range []*release{part, candidate} {
		if err := r.texts(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(r.into, "scoop")); err == nil {
			t.Errorf("%s for %v has texts", r.version, r.platforms)
		}
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
	var log []struct {
		Semver  string
		Date    time.Time
		Changes []struct{ Note string }
	}
	r := made(t)
	if err := r.fill("parts/changelog.yaml", filepath.Join(r.into, "changelog.yaml"), all[1:]); err != nil {
		t.Fatal(err)
	}
	if _, err := yaml.Unmarshal([]byte(read(t, r, "changelog.yaml")), &log, yaml.DecodeOpts{}); err != nil || len(log) != 2 || log[0].Semver != "0.2.0-1" || log[0].Changes[0].Note != "Two lines." {
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
	version, err := ownVersion("../..")
	if err != nil {
		t.Fatal(err)
	}
	found, err := upTo(all, version, moment())
	if err != nil || len(found[0].Points) == 0 {
		t.Errorf("nothing is written about %s: %v", version, err)
	}
}

// laidOut puts files for a platform where a release packs them from.
func laidOut(t *testing.T, r *release, p platform) {
	t.Helper()
	for name, text := range map[string]string{
		r.stage("bin", p.name, p.program()): "program", r.stage("bin", p.name, "third-party.txt"): "the licences of others",
		r.stage("all/LICENSE"): "our licence", r.stage("unix/man1/a.1"): "page", r.stage("linux/openrc/filmspool"): "script",
	} {
		if err := write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestArchivesAreTheSame: neither the time zone, nor the time of a file, nor its
// mode, nor its owner on this machine shows in them. All lies in one folder.
func TestArchivesAreTheSame(t *testing.T) {
	packed := func(when time.Time, mode fs.FileMode) (linux, windows string) {
		r := made(t, "linux-amd64", "windows-amd64")
		r.when = when
		for _, p := range r.platforms {
			laidOut(t, r, p)
		}
		if err := errors.Join(os.Chmod(r.stage("unix/man1"), mode), os.Chmod(r.stage("all/LICENSE"), mode), r.archives(t.Context())); err != nil {
			t.Fatal(err)
		}
		return read(t, r, "filmspool-1.2.3-linux-amd64.tar.gz"), read(t, r, "filmspool-1.2.3-windows-amd64.zip")
	}
	linux, windows := packed(moment(), 0o755)
	if again, once := packed(moment().In(time.FixedZone("elsewhere", 3600)), 0o700); linux != again || windows != once {
		t.Error("packed elsewhere, other bytes")
	}
	unpacked, err := gzip.NewReader(strings.NewReader(linux))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for files := tar.NewReader(unpacked); ; {
		h, err := files.Next()
		if err != nil {
			break
		}
		names = append(names, h.Name)
		want := fs.FileMode(0o644)
		switch {
		case strings.HasSuffix(h.Name, "/"):
			want = fs.ModeDir | 0o755
		case path.Base(h.Name) == "filmspool":
			want = 0o755
		}
		if h.FileInfo().Mode() != want || h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Gname != "root" || !h.ModTime.Equal(moment()) {
			t.Errorf("%+v", h)
		}
	}
	want := []string{"", "LICENSE", "filmspool", "man1/", "man1/a.1", "openrc/", "openrc/filmspool", "third-party.txt"}
	for i := range want {
		want[i] = "filmspool-1.2.3-linux-amd64/" + want[i]
	}
	if !slices.Equal(names, want) {
		t.Errorf("the archive holds %q, want %q", names, want)
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

// TestThirdParty: every licence stands there whole.
func TestThirdParty(t *testing.T) {
	r, p := made(t, "linux-amd64"), platforms()[0]
	a := []words{{"LICENSE", "the words of a"}, {"NOTICE", "the notice of a"}}
	err := r.bill(p, nil, []module{
		{Path: "std", Version: "1.26.0", Source: "https://go.dev/dl/go1.26.0.src.tar.gz", Licence: "BSD-3-Clause", Texts: []words{{"LICENSE", "the words of Go"}}},
		{Path: "example.com/a", Version: "v1.0.0", Source: "https://example.com/a", Licence: "MIT", Texts: a},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.stage("bin", p.name, "third-party.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"example.com/a v1.0.0 (MIT)", "https://example.com/a\n", "the words of a\n", "the notice of a\n", "the words of Go\n",
		"https://go.dev/dl/go1.26.0.src.tar.gz\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is lacking in:\n%s", want, text)
		}
	}
}

// TestBill: one component for each module, all of them what the program
// depends on, and a serial number that the program decides.
func TestBill(t *testing.T) {
	r, p := made(t, "linux-amd64"), platforms()[0]
	billOf := func(program string) string {
		err := r.bill(p, []byte(program), []module{
			{Path: "std", Version: "1.26.0", Tag: "1.26.0", Licence: "BSD-3-Clause"},
			{Path: "example.com/a", Version: "v1.0.0", Tag: "v1.0.0", Licence: "MIT"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return read(t, r, r.fileName(p, ".cdx.json"))
	}
	text := billOf("program")
	type component struct {
		Ref      string `json:"bom-ref"`
		Name     string
		Licenses []struct{ License struct{ ID string } }
	}
	var b struct {
		SerialNumber string
		Metadata     struct{ Component component }
		Components   []component
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != 2 || len(b.Dependencies) != 3 || len(b.Dependencies[0].DependsOn) != 2 || b.Dependencies[0].Ref != b.Metadata.Component.Ref ||
		b.Dependencies[2].Ref != b.Components[1].Ref || b.Components[1].Ref != "pkg:golang/example.com/a@v1.0.0" || b.Components[1].Licenses[0].License.ID != "MIT" {
		t.Errorf("%+v", b)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(b.SerialNumber) {
		t.Errorf("serial number %q", b.SerialNumber)
	}
	if text != billOf("program") || text == billOf("another") {
		t.Error("the list is not decided by the program alone")
	}
}

// TestSummary: nothing of the day or of chance is left in what msitools say of a
// package, and the rest stays.
func TestSummary(t *testing.T) {
	const before = "9\t{79476F54-B849-409B-B2AD-2032108DC8B7}\r\n12\t2026/11/22 12:04:03\r\n13\t2026/11/22 12:04:03\r\n19\t2\r\n"
	got := made(t).summary(before, "CODE")
	want := "9\t{" + strings.ToUpper(uuid("package CODE")) + "}\r\n12\t2026/11/21 12:00:00\r\n13\t2026/11/21 12:00:00\r\n19\t2\r\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCopyright: Debian's form of the licence has its words.
func TestCopyright(t *testing.T) {
	flat := func(name string) string {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\n .\n", "\n\n")), " ")
	}
	_, licence, _ := strings.Cut(flat("LICENSE"), "Copyright (c) ")
	holder, terms, _ := strings.Cut(licence, " Permission")
	if holder == "" || !strings.HasSuffix(flat("packaging/nfpm/deb/copyright"), "Files: * Copyright: "+holder+" License: Expat Permission"+terms) {
		t.Errorf("the package for Debian does not say: %s", licence)
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
	chosen, err := choose("linux-armv6,windows-arm64", platforms(), platform.String)
	if err != nil || len(chosen) != 2 || chosen[0].arch != "arm" || chosen[0].arm != "6" || chosen[1].program() != "filmspool.exe" {
		t.Errorf("%+v, %v", chosen, err)
	}
	if _, err := choose("linux-mips", platforms(), platform.String); err == nil {
		t.Error("a platform that does not exist was chosen")
	}
	if serves("deb", platform{os: "linux", arch: "arm", arm: "7"}) || !serves("deb", platform{os: "linux", arch: "arm", arm: "6"}) {
		t.Error("armhf would be made twice, or not at all")
	}
}

// TestBegin: only what somebody wants is built, and the program says which
// version it is. A folder with something in it is left alone.
func TestBegin(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	into := t.TempDir()
	for only, want := range map[string]string{
		"extension": "", "msi": "windows-amd64", "nsis": "windows-amd64 windows-arm64", "kodi": "linux-amd64 linux-arm64 linux-armv7",
		"kodi,msi": "linux-amd64 linux-arm64 linux-armv7 windows-amd64",
	} {
		o, err := parse([]string{"--only", only, into})
		if err != nil {
			t.Fatal(err)
		}
		r := &release{options: o, out: t.Output()}
		if err := r.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, p := range r.platforms {
			names = append(names, p.name)
		}
		if own, err := ownVersion("../.."); strings.Join(names, " ") != want || err != nil || r.version != own || r.when.Unix() != 1700000000 {
			t.Errorf("%s: version %s of %v for %q, want %q", only, r.version, r.when, names, want)
		}
	}
	if err := os.WriteFile(filepath.Join(into, "old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&release{options: options{into: into}}).begin(t.Context()); err == nil {
		t.Error("what an older run left would be signed along")
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
	r.version, r.into = "0.1.0", t.TempDir()
	for _, name := range []string{"filmspool-0.1.0-windows-arm64.zip", "filmspool-0.1.0-linux-amd64.tar.gz"} {
		if err := os.WriteFile(filepath.Join(r.into, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(r.readNotes(t.Context()), r.finish(t.Context())); err != nil {
		t.Fatal(err)
	}
	page := read(t, r, "release-notes.md")
	wanted := []string{"# Filmspool 0.1.0\n", "### Known limits", "sha256sum --check", "| file |"}
	for _, name := range []string{"filmspool-0.1.0-windows-arm64.zip", "filmspool-0.1.0-linux-amd64.tar.gz"} {
		wanted = append(wanted, fmt.Sprintf("| `%s` | %d | `%x` |", name, len(name), sha256.Sum256([]byte(name))))
	}
	for _, want := range wanted {
		if !strings.Contains(page, want) {
			t.Errorf("the notes lack %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "minisign") {
		t.Error("the notes tell to check a signature that was not made")
	}
	if list := read(t, r, "SHA256SUMS"); !strings.Contains(list, fmt.Sprintf("%x  release-notes.md\n", sha256.Sum256([]byte(page)))) {
		t.Errorf("the sums lack the notes:\n%s", list)
	}
	if len(r.notes[0].Points) < 5 || strings.Contains(strings.Join(r.notes[0].Points, ""), "Wine") {
		t.Errorf("what the packages' changelogs say: %q", r.notes[0].Points)
	}
}

// TestAddons: the add-on holds the program of its platform and the licences of
// all. What calls itself another version is not handed out.
func TestAddons(t *testing.T) {
	r := made(t, "linux-armv7", "windows-amd64")
	laidOut(t, r, r.platforms[0])
	pack := func() []string {
		r.into, r.only = t.TempDir(), []string{"extension", "kodi"}
		if err := errors.Join(r.extension(t.Context()), r.kodi(t.Context())); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(r.into, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := pack(); len(found) != 0 {
		t.Errorf("for another version: %q", found)
	}
	var err error
	if r.version, err = ownVersion("../.."); err != nil {
		t.Fatal(err)
	}
	if found := pack(); len(found) != 3 {
		t.Errorf("made %q", found)
	}
	addon, err := zip.OpenReader(filepath.Join(r.into, "service.filmspool-"+r.version+"-arm.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer addon.Close()
	for name, want := range map[string]string{"program/filmspool": "program", "LICENSE.txt": "our licence\nthe licences of others"} {
		if text, err := fs.ReadFile(addon, "service.filmspool/"+name); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
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
