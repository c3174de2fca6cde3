package packaging_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

// directives are the lines of a unit that systemd reads, by section.
func directives(unit string) map[string][]string {
	sections, section := map[string][]string{}, ""
	for line := range strings.Lines(unit) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		default:
			sections[section] = append(sections[section], line)
		}
	}
	return sections
}

// The lines that a restart after a crash, a stop in time and a start at boot
// depend on, each in the section where systemd looks for it.
func TestUnitsKeepTheirPromises(t *testing.T) {
	both := map[string][]string{
		"Unit": {"StartLimitIntervalSec=0"},
		"Service": {
			"Type=notify", "Restart=on-failure", "RestartSec=10",
			"RestartPreventExitStatus=78", "WatchdogSec=180", "TimeoutStopSec=20", "NoNewPrivileges=yes", "UMask=0077",
			"MemoryMax=512M", "TasksMax=128", "SystemCallFilter=@system-service",
		},
	}
	units := map[string]struct{ text, target string }{
		"user":   {packaging.UserUnit, "WantedBy=default.target"},
		"system": {packaging.SystemUnit, "WantedBy=multi-user.target"},
	}
	for name, unit := range units {
		got := directives(unit.text)
		for section, lines := range both {
			for _, line := range lines {
				if !slices.Contains(got[section], line) {
					t.Errorf("%s unit: [%s] lacks %s", name, section, line)
				}
			}
		}
		if !slices.Contains(got["Install"], unit.target) {
			t.Errorf("%s unit: [Install] lacks %s", name, unit.target)
		}
	}
}

// Lines that a user's manager refuses (217, 218, 226), ignores, or understands
// differently from release to release, or that need a user namespace.
func TestUserUnitLeavesOutWhatUserManagersCannot(t *testing.T) {
	never := []string{
		"AmbientCapabilities", "DynamicUser", "User", "Group", "StateDirectory", "ProtectKernelLogs", "ProcSubset",
		"IPAddressDeny", "LoadCredential", "CapabilityBoundingSet", "PrivateDevices", "ProtectHome", "ProtectSystem", "PrivateTmp",
		"PrivateUsers", "PrivateMounts", "ProtectClock", "ProtectKernelModules", "ProtectHostname", "BindPaths",
	}
	for _, line := range directives(packaging.UserUnit)["Service"] {
		if key, _, _ := strings.Cut(line, "="); slices.Contains(never, key) {
			t.Errorf("the user unit holds %s", line)
		}
	}
}

func TestSystemUnitGivesTheGroupTheControlFile(t *testing.T) {
	service := directives(packaging.SystemUnit)["Service"]
	for _, line := range []string{
		"Group=filmspool", "RuntimeDirectory=filmspool", "RuntimeDirectoryMode=0750",
		"StateDirectory=filmspool", "StateDirectoryMode=0700", "LoadCredential=api-key:filmspool.key",
	} {
		if !slices.Contains(service, line) {
			t.Errorf("the system unit lacks %s", line)
		}
	}
	if slices.Contains(service, "User=filmspool") {
		t.Error("the dynamic user is called like the lasting group; systemd refuses that")
	}
	if !strings.Contains(packaging.Sysusers, "\ng filmspool ") {
		t.Error("no group filmspool is declared")
	}
}

// OpenRC starts it as nobody's but its own user, and again after a crash.
func TestOpenRCScript(t *testing.T) {
	text, err := os.ReadFile("openrc/filmspool.initd")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, line := range []string{
		"#!/sbin/openrc-run", `supervisor="supervise-daemon"`, `command="/usr/bin/filmspool"`, `command_args="run --system --log-file=/var/log/filmspool/filmspool.log"`,
		`command_user="filmspool:filmspool"`, "respawn_delay=5", "respawn_max=10", "respawn_period=300", `umask="0077"`,
	} {
		if !slices.Contains(lines, line) {
			t.Errorf("the script lacks %s", line)
		}
	}
}

// What launchd does with the program after a crash, a clean end and a stop, and
// that nobody else may read what the program writes.
func TestPlistKeepsItsPromises(t *testing.T) {
	text := strings.Join(strings.Fields(packaging.LaunchdPlist), "")
	for _, want := range []string{
		"<key>Label</key><string>filmspool</string>", "<key>RunAtLoad</key><true/>",
		"<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
		"<key>ThrottleInterval</key><integer>60</integer>", "<key>ExitTimeOut</key><integer>20</integer>",
		"<key>LimitLoadToSessionType</key><array><string>Aqua</string><string>Background</string></array>",
		"<key>Umask</key><integer>63</integer>", // 0077
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the property list lacks %s", want)
		}
	}
}

// A package decides nothing for the user: no script of it starts or enables what was not, and
// none deletes anything.
func TestScriptsOfPackagesKeepAll(t *testing.T) {
	names, err := filepath.Glob("nfpm/*/*")
	if err != nil || len(names) < 10 {
		t.Fatalf("%q: %v", names, err)
	}
	acts := regexp.MustCompile(`(?m)^\s*(?:rm|userdel|deluser|groupdel|find)\b.*|^\s*(?:systemctl|deb-systemd-invoke|each_user|rc-service|rc-update)\b.*\s(?:start|enable|add|restart)\b.*`)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, act := range acts.FindAllString(string(text), -1) {
			if !strings.Contains(act, "--ifstarted filmspool restart") { // what ran goes on
				t.Errorf("%s: %s", name, act)
			}
		}
	}
}

// Each file that a page tells people to download has the version of the program, as the
// extension does, and an archive is made for its platform.
func TestPagesNameThisRelease(t *testing.T) {
	var texts [5]string
	for i, name := range []string{"cmd/filmspool/main.go", "connector/extension/source/manifest.json", "README.md", "packaging/INSTALL.md", ".goreleaser.yaml"} {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	found := regexp.MustCompile(`(?m)^var version = "(.+)"$`).FindStringSubmatch(texts[0])
	if found == nil || !strings.Contains(texts[1], `"version": "`+found[1]+`"`) {
		t.Fatalf("the program has version %q, and the extension another", found)
	}
	files := regexp.MustCompile(`filmspool[-_](\d+\.\d+\.\d+)-?([a-z]+-[a-z0-9]+)?[\w.-]*`).FindAllStringSubmatch(texts[2]+texts[3], -1)
	if len(files) < 5 {
		t.Errorf("only %d files found", len(files))
	}
	for _, file := range files {
		if file[1] != found[1] || !strings.Contains(texts[4], strings.Replace(file[2], "-", "_", 1)) {
			t.Errorf("a page names %s: the program is %s", file[0], found[1])
		}
	}
}
