package packaging_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

// kardianos/service expands "{{" in the texts it is given.
func TestTextsHoldNoTemplate(t *testing.T) {
	for name, text := range map[string]string{
		"user unit": packaging.UserUnit, "system unit": packaging.SystemUnit,
		"sysusers": packaging.Sysusers, "plist": packaging.LaunchdPlist, "OpenRC": packaging.OpenRC,
	} {
		if text == "" {
			t.Errorf("%s is empty", name)
		}
		if strings.Contains(text, "{{") {
			t.Errorf("%s holds {{", name)
		}
	}
}

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

func has(lines []string, want string) bool { return slices.Contains(lines, want) }

// The lines that a restart after a crash, a stop in time and a start at boot
// depend on, each in the section where systemd looks for it.
func TestUnitsKeepTheirPromises(t *testing.T) {
	both := map[string][]string{
		"Unit": {"StartLimitIntervalSec=0"},
		"Service": {
			"Type=notify", "ExecStart=@COMMAND@", "Restart=on-failure", "RestartSec=10",
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
				if !has(got[section], line) {
					t.Errorf("%s unit: [%s] lacks %s", name, section, line)
				}
			}
		}
		if !has(got["Install"], unit.target) {
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
		if !has(service, line) {
			t.Errorf("the system unit lacks %s", line)
		}
	}
	if has(service, "User=filmspool") {
		t.Error("the dynamic user is called like the lasting group; systemd refuses that")
	}
	if !strings.Contains(packaging.Sysusers, "\ng filmspool ") {
		t.Error("no group filmspool is declared")
	}
}

// OpenRC starts it as nobody's but its own user, and again after a crash.
func TestOpenRCScript(t *testing.T) {
	lines := strings.Split(packaging.OpenRC, "\n")
	for _, line := range []string{
		"#!/sbin/openrc-run", `supervisor="supervise-daemon"`, `command="/usr/bin/filmspool"`, `command_args="run --system --log-file=/var/log/filmspool/filmspool.log"`,
		`command_user="filmspool:filmspool"`, "respawn_delay=5", "respawn_max=10", "respawn_period=300", `umask="0077"`,
	} {
		if !has(lines, line) {
			t.Errorf("the script lacks %s", line)
		}
	}
}

// Placeholders are filled where systemd reads them, and stay where a person
// reads about them.
func TestFill(t *testing.T) {
	got := packaging.Fill("# @COMMAND@ is the program\nExecStart=@COMMAND@\n", packaging.Command, "/bin/a run")
	if got != "# @COMMAND@ is the program\nExecStart=/bin/a run\n" {
		t.Errorf("got %q", got)
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
