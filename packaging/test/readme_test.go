package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging/readme"
)

// cover is what tries a command of the README that TestReadmeOnSystemd does
// not: a text that a file of the repository has to hold, or a reason alone.
type cover struct{ file, holds, why string }

// covered are these commands, as the README has them.
func covered() map[string]cover {
	return map[string]cover{
		"go run ./cmd/filmspool demo":                      {file: ".ci/checks.sh", holds: "go run ./cmd/filmspool demo --once"},
		"go run ./connector/extension/pack FOLDER":         {file: ".ci/browser.sh", holds: "go run ./connector/extension/pack "},
		"go run ./packaging/kodi/pack FOLDER":              {file: ".ci/real.sh", holds: "go run ./packaging/kodi/pack "},
		"go run ./packaging/release dist":                  {file: ".ci/packages.sh", holds: `go run ./packaging/release "${signing[@]}" "$one"`},
		"go test ./...":                                    {file: ".ci/checks.sh", holds: "step_test() { go test ./...; }"},
		"go test -run '^$' -bench …":                       {file: ".ci/checks.sh", holds: "go test -run '^$' -bench ."},
		"cd .bench && go run .":                            {file: ".ci/proof.sh", holds: "cd .bench && go vet . && go run ."},
		"go tool -modfile=.tools/go.mod golangci-lint run": {file: ".ci/machine.sh", holds: "go tool -modfile=.tools/go.mod -n golangci-lint"},
		"bash .ci/run":                                     {file: ".ci/run", holds: "bash .ci/run ", why: "it runs this"},
		"bash .ci/run kodi":                                {file: ".ci/real.sh", holds: "step_kodi()"},

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
		"chmod 600": {file: "daemon/config/password_test.go", holds: "0o6", why: "part of a sentence"},
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

func frontPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestReadmeCommandsAreTried: each is typed on a machine or tried by what the
// table names; and the table names nothing that is gone.
func TestReadmeCommandsAreTried(t *testing.T) {
	found := map[string]bool{}
	for _, c := range readme.Commands(frontPage(t)) {
		found[c.Text] = true
		if _, elsewhere := covered()[c.Text]; !elsewhere && !onMachine(c.Text) {
			t.Errorf("README.md:%d: nothing tries: %s", c.Line, c.Text)
		}
	}
	for command, by := range covered() {
		if !found[command] {
			t.Errorf("README.md does not name any more: %s", command)
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

// TestReadmeLinksLead: what it points to is there, and every span of code ends
// in its line, or commands would be passed over.
func TestReadmeLinksLead(t *testing.T) {
	page := frontPage(t)
	anchors := readme.Anchors(page)
	links := readme.Links(page)
	for _, l := range links {
		path, anchor, _ := strings.Cut(l.Target, "#")
		if strings.HasPrefix(path, "https://") {
			continue
		}
		if _, err := os.Stat(filepath.Join("../..", path)); path != "" && err != nil {
			t.Errorf("README.md:%d: %v", l.Line, err)
		}
		if path == "" && !anchors[anchor] {
			t.Errorf("README.md:%d: there is no heading for #%s", l.Line, anchor)
		}
	}
	if len(links) < 10 {
		t.Errorf("only %d links found", len(links))
	}
	number := 0
	for line := range strings.Lines(page) {
		number++
		if mark := strings.TrimSpace(line); !strings.HasPrefix(mark, "```") && strings.Count(line, "`")%2 != 0 {
			t.Errorf("README.md:%d: a span of code does not end", number)
		}
	}
}

// TestReadmeBenchmarksExist: the last column of its figures names benchmarks.
func TestReadmeBenchmarksExist(t *testing.T) {
	named := regexp.MustCompile("`(Benchmark\\w+)\\$? \\./([a-z/]+)").FindAllStringSubmatch(frontPage(t), -1)
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
