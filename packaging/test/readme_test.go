package test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging/readme"
)

// cover says what tries a command that TestReadmeOnSystemd does not type: a
// text that a file of the repository has to hold.
type cover struct{ file, holds, why string }

// covered are these commands, as the pages have them.
func covered() map[string]cover {
	return map[string]cover{
		"go run ./cmd/filmspool demo":                        {file: ".ci/checks.sh", holds: "go run ./cmd/filmspool demo --once"},
		"go run ./packaging/release --only extension FOLDER": {file: ".ci/browser.sh", holds: "go run ./packaging/release --only extension "},
		"go run ./packaging/release --only kodi FOLDER": {
			file: ".ci/packages.sh", holds: "--only archive,deb,rpm,apk,archlinux,msi,nsis,kodi", why: "with other things",
		},
		"go run ./packaging/release dist": {file: ".ci/packages.sh", holds: `go run ./packaging/release "${signing[@]}" "$one"`},
		"go test ./...":                   {file: ".ci/checks.sh", holds: "go test -timeout 40m -json ./..."},
		"go test -run '^$' -bench …":      {file: ".ci/long.sh", holds: "go test -run '^$' -bench ."},
		"cd .bench && go run .":           {file: ".ci/proof.sh", holds: "cd .bench && go vet . && go run ."},
		"bash .ci/run":                    {file: ".ci/run", holds: "bash .ci/run ", why: "it runs this"},
		"bash .ci/run quick":              {file: ".ci/run", holds: "quick) set -- format vet lint tests", why: "the whole has its steps"},
		"bash .ci/run long 3600":          {file: ".ci/long.sh", holds: "step_long()", why: "the whole has a short form of each part"},
		"bash .ci/run mutants PACKAGE":    {file: ".ci/checks.sh", holds: "step_mutants()"},
		"filmspool notices test":          {file: "cmd/filmspool/e2e_notices_test.go", holds: `"notices", "test"`},
		"filmspool login --account anna":  {file: "cmd/filmspool/testdata/accounts.txtar", holds: "exits 0 login --account anna", why: "it needs two accounts"},
		"filmspool watch":                 {file: "cmd/filmspool/e2e_terminal_linux_test.go", holds: `atTerminal(t, h.dir, "watch")`, why: "it does not end by itself"},
		"filmspool queue move ID --account ben": {
			file: "cmd/filmspool/testdata/accounts.txtar", holds: "exits 0 queue move 8 --account ben", why: "likewise",
		},
		"filmspool open":         {file: "cmd/filmspool/testdata/open.txtar", holds: "exits 0 open\n", why: "it wants a browser"},
		"filmspool open --start": {file: "packaging/test/menu_linux_test.go", holds: `"open", "--start", "--print"`, why: "likewise"},
		"filmspool setup":        {file: "cmd/filmspool/e2e_setup_linux_test.go", holds: `atTerminal(t, h.dir, "setup")`, why: "it asks a person"},
		"filmspool open --print": {file: "connector/extension/test/browser/household.js", holds: `this.run(["open", "--print"])`},
		"filmspool doctor":       {file: "cmd/filmspool/testdata/doctor.txtar", holds: "exits 0 doctor"},
		"filmspool doctor --fix": {file: "cmd/filmspool/testdata/doctor.txtar", holds: "exits 4 doctor --fix"},
		"filmspool kodi add /home/me/.kodi/userdata": {
			file: "cmd/filmspool/testdata/settings.txtar", holds: "exits 0 kodi add $WORK/.kodi/userdata", why: "another command has added that one",
		},
		"filmspool config set replay.grace 10m":          {file: "cmd/filmspool/testdata/settings.txtar", holds: "exits 0 config set replay.grace 10m"},
		"filmspool config unset replay.grace":            {file: "cmd/filmspool/testdata/settings.txtar", holds: "exits 0 config unset replay.grace"},
		"filmspool config reload":                        {file: "cmd/filmspool/testdata/settings.txtar", holds: "exits 0 config reload"},
		"filmspool config set resolve.tmdb.enabled true": {file: "cmd/filmspool/testdata/settings.txtar", holds: "exits 0 config set resolve.tmdb.enabled true"},
		"bash .ci/run kodi":                              {file: ".ci/real.sh", holds: "step_kodi()"},

		"minisign -V -p filmspool.pub -m SHA256SUMS": {file: ".ci/packages.sh", holds: `minisign -V -q -p "$work/minisign.pub" -m SHA256SUMS`},
		"sudo rpm -U filmspool-0.1.0-1.x86_64.rpm": {
			file: "packaging/test/foreign_linux_test.go", holds: `[]string{"rpm", "--nodeps", "-U"}`, why: "its needs are those of another system",
		},
		"sudo rpm -e filmspool": {file: "packaging/test/foreign_linux_test.go", holds: `[]string{"rpm", "-e", "filmspool"}`},
		"sudo pacman -U filmspool-0.1.0-1-x86_64.pkg.tar.zst": {
			file: "packaging/test/foreign_linux_test.go", holds: `[]string{"pacman", "--noconfirm", "-dd", "-U"}`, why: "likewise",
		},
		"sudo pacman -R filmspool": {file: "packaging/test/foreign_linux_test.go", holds: `[]string{"pacman", "--noconfirm", "-R", "filmspool"}`},
		"sudo apk add --allow-untrusted filmspool_0.1.0-r1_x86_64.apk": {
			file: "packaging/test/openrc_linux_test.go", holds: "func TestApkOnOpenRC", why: "unpacked there, with its scripts, since Debian has no apk",
		},
		"sudo apk del filmspool": {file: "packaging/test/openrc_linux_test.go", holds: "func TestApkOnOpenRC", why: "likewise"},
		"sudo rc-update add filmspool && sudo rc-service filmspool start": {
			file: "packaging/test/openrc_linux_test.go", holds: "rc-update add filmspool default\nrc-service --nodeps filmspool start",
		},
		"filmspool-0.1.0-windows-amd64-setup.exe /S": {
			file: "packaging/test/wine_installers_linux_test.go", holds: "w.windows(`C:\\new.exe`, \"/S\")", why: "in Wine",
		},
		"msiexec /i filmspool-0.1.0-windows-amd64.msi": {
			file: "packaging/test/wine_installers_linux_test.go", holds: "w.windows(\"msiexec\", \"/i\", `C:\\old.msi`, \"/qn\")", why: "in Wine",
		},
		"msiexec /x filmspool-0.1.0-windows-amd64.msi": {
			file: "packaging/test/wine_installers_linux_test.go", holds: "w.windows(\"msiexec\", \"/x\", `C:\\new.msi`, \"/qn\")", why: "in Wine",
		},
		"skopeo copy oci-archive:filmspool-0.1.0-oci.tar containers-storage:filmspool:0.1.0": {
			file: ".ci/others.sh", holds: "skopeo copy --quiet", why: "to a folder there; a store of containers wants more rights than a build machine has",
		},
		"podman rmi filmspool:0.1.0": {file: "packaging/test/container_linux_test.go", holds: "func TestContainerImage", why: "likewise"},
		"podman run --name filmspool --network host -v filmspool:/state -v ~/.config/filmspool:/config:ro -v ~/.kodi/userdata:/kodi/userdata:ro filmspool:0.1.0": {
			file: "packaging/test/container_linux_test.go", holds: "func TestContainerImage", why: "it runs what the image holds, as the image says",
		},
		"podman exec -it filmspool filmspool login --base-url https://tracker.example/api/v1": {
			file: "packaging/test/container_linux_test.go", holds: `"login", "--key-stdin"`, why: "in the same place",
		},
		"go install github.com/filmspool/filmspool/cmd/filmspool@latest": {
			file: ".ci/checks.sh", holds: "go build -trimpath", why: "it installs what is published, and this is what will be",
		},
		`filmspool service uninstall; rm "$(go env GOPATH)/bin/filmspool"`: {file: ".ci/checks.sh", holds: "go build -trimpath", why: "likewise"},
		"filmspool login --tmdb":                   {file: "cmd/filmspool/testdata/tmdb.txtar", holds: "login --tmdb --key-stdin", why: "with a stand-in for TMDB"},
		"filmspool fix ID 603":                     {file: "cmd/filmspool/testdata/fix.txtar", holds: "exits 0 fix 6 603", why: "it wants an entry without a number"},
		"filmspool rules list":                     {file: "cmd/filmspool/testdata/fix.txtar", holds: "exits 0 rules list"},
		"filmspool rules test":                     {file: "cmd/filmspool/testdata/fix.txtar", holds: "exits 0 rules test", why: "it waits for questions"},
		"filmspool rules remove ID":                {file: "cmd/filmspool/testdata/fix.txtar", holds: "exits 0 rules remove 2"},
		"filmspool pause 2h":                       {file: "cmd/filmspool/testdata/pause.txtar", holds: "exits 0 pause 1h", why: "it would last"},
		"filmspool pause until 23:00":              {file: "cmd/filmspool/testdata/pause.txtar", holds: "exits 0 pause until 23:00", why: "likewise"},
		"filmspool pause 2h --drop":                {file: "cmd/filmspool/testdata/pause.txtar", holds: "exits 0 pause 1h --drop", why: "likewise"},
		"filmspool queue list --reason approve":    {file: "cmd/filmspool/testdata/brake.txtar", holds: "exits 0 queue list --reason wave", why: "with another reason"},
		"filmspool queue release --reason approve": {file: "cmd/filmspool/testdata/brake.txtar", holds: "exits 0 queue release --reason approve"},
		"filmspool queue drop --reason approve":    {file: "cmd/filmspool/testdata/brake.txtar", holds: "exits 0 queue drop --reason approve"},
		"filmspool queue release --reason wave":    {file: "cmd/filmspool/testdata/brake.txtar", holds: "exits 0 queue release --reason wave"},
		"filmspool queue drop --reason wave":       {file: "cmd/filmspool/testdata/brake.txtar", holds: "exits 0 queue drop --reason wave"},
		"filmspool resolve":                        {file: "cmd/filmspool/testdata/tmdb.txtar", holds: "exits 0 resolve", why: "it waits for questions"},
		"chmod 600":                                {file: "daemon/config/password_test.go", holds: "0o6", why: "part of a sentence"},
		"litestream replicate ~/.local/state/filmspool/filmspool.db sftp://me@nas/filmspool": {
			file: ".ci/proof.sh", holds: "TestACopyByLitestreamComesBack", why: "to a folder there",
		},
		"litestream restore -o ~/.local/state/filmspool/filmspool.db sftp://me@nas/filmspool": {
			file: ".ci/proof.sh", holds: "TestACopyByLitestreamComesBack",
		},
	}
}

// onMachine reports whether TestReadmeOnSystemd types a command: ours, and what
// every Debian has.
func onMachine(command string) bool {
	for _, program := range []string{"filmspool ", ". /etc/profile", "sudo filmspool ", "sudo apt ", "sudo tar ", "sudo usermod ", "sha256sum "} {
		if strings.HasPrefix(command, program) {
			return true
		}
	}
	return false
}

// pages are all pages that tell people what to type, the front page first.
func pages(t *testing.T) []readme.Page {
	t.Helper()
	pages, err := readme.Pages("../..")
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestReadmeCommandsAreTried: a machine or the named test tries each command,
// and the table names nothing that is gone.
func TestReadmeCommandsAreTried(t *testing.T) {
	found := map[string]bool{}
	for _, page := range pages(t) {
		for _, c := range readme.Commands(page.Text) {
			found[c.Text] = true
			if _, elsewhere := covered()[c.Text]; !elsewhere && !onMachine(c.Text) {
				t.Errorf("%s:%d: nothing tries: %s", page.Name, c.Line, c.Text)
			}
		}
	}
	for command, by := range covered() {
		if !found[command] {
			t.Errorf("no page names any more: %s", command)
		}
		text, err := os.ReadFile(filepath.Join("../..", by.file))
		if err != nil || by.holds == "" || !strings.Contains(string(text), by.holds) {
			t.Errorf("%s: %s does not hold %q: %v", command, by.file, by.holds, err)
		}
	}
	if len(found) < 80 {
		t.Errorf("only %d commands found", len(found))
	}
}

// TestReadmeLinksLead: the target of each link exists. Every span of code ends
// in its line, or commands would be passed over.
func TestReadmeLinksLead(t *testing.T) {
	anchors := map[string]map[string]bool{}
	for _, page := range pages(t) {
		anchors[page.Name] = readme.Anchors(page.Text)
	}
	for _, page := range pages(t) {
		for _, l := range readme.Links(page.Text) {
			target, anchor, _ := strings.Cut(l.Target, "#")
			if strings.HasPrefix(target, "https://") {
				continue
			}
			file := page.Name
			if target != "" {
				file = path.Join(path.Dir(page.Name), target)
			}
			if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
				t.Errorf("%s:%d: %v", page.Name, l.Line, err)
			}
			if anchor != "" && !anchors[file][anchor] {
				t.Errorf("%s:%d: %s has no heading for #%s", page.Name, l.Line, file, anchor)
			}
		}
		number := 0
		for line := range strings.Lines(page.Text) {
			number++
			if mark := strings.TrimSpace(line); !strings.HasPrefix(mark, "```") && strings.Count(line, "`")%2 != 0 {
				t.Errorf("%s:%d: a span of code does not end", page.Name, number)
			}
		}
	}
}

// TestReadmeLeadsEverywhere: the front page links every other page, so that a
// reader finds it, and stays short enough to be read at one sitting.
func TestReadmeLeadsEverywhere(t *testing.T) {
	linked := map[string]bool{}
	all := pages(t)
	for _, l := range readme.Links(all[0].Text) {
		linked[l.Target] = true
	}
	for _, page := range all[1:] {
		if !linked[page.Name] {
			t.Errorf("%s does not link %s", all[0].Name, page.Name)
		}
	}
	if lines := strings.Count(all[0].Text, "\n"); lines > 200 {
		t.Errorf("%s has %d lines, more than 200", all[0].Name, lines)
	}
}

// TestReadmeSentencesAreShort: no sentence of a page has more than 25 words,
// outside tables and blocks of code. A list of terms may be longer.
func TestReadmeSentencesAreShort(t *testing.T) {
	ends := regexp.MustCompile(`[.!?:;](?:\s|$)`)
	for _, page := range pages(t) {
		for _, p := range readme.Paragraphs(page.Text) {
			for _, sentence := range ends.Split(p.Text, -1) {
				if words := strings.Fields(sentence); len(words) > 25 {
					t.Errorf("%s:%d: %d words: %s", page.Name, p.Line, len(words), strings.Join(words, " "))
				}
			}
		}
	}
}

// TestReadmeBenchmarksExist: the last column of the figures names benchmarks.
func TestReadmeBenchmarksExist(t *testing.T) {
	all := pages(t)
	named := regexp.MustCompile("`(Benchmark\\w+)\\$? \\./([a-z/]+)").FindAllStringSubmatch(all[len(all)-1].Text, -1)
	if len(named) < 8 {
		t.Errorf("only %d benchmarks found", len(named))
	}
	for _, n := range named {
		there := false
		err := fs.WalkDir(os.DirFS(filepath.Join("../..", n[2])), ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(filepath.Join("../..", n[2], path))
			there = there || regexp.MustCompile(`func `+n[1]+`\w*\(`).Match(text)
			return err
		})
		if err != nil || !there {
			t.Errorf("there is no %s in ./%s: %v", n[1], n[2], err)
		}
	}
}
