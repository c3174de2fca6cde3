//go:build unix

package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// mac behaves as launchctl(1) and launchd.plist(5) say that macOS does; no real
// one has been asked. It has the domains of one person and of the machine.
type mac struct {
	domains  map[string]bool
	jobs     map[string]*macJob // by target
	disabled bool
	programs []macJob // what becomes of the next starts; after them the program runs
	refuses  []int    // exit codes of the next bootstraps
	lingers  int      // how often print still finds a job that was booted out
	said     []string
	pids     int
}

type macJob struct {
	path, text, state, lastExit, signal string
	pid, runs                           int
}

func (m *mac) ctl(_ context.Context, args ...string) (string, error) {
	if args[0] != "print" && args[0] != "print-disabled" {
		m.said = append(m.said, strings.Join(args[:min(len(args), 2)], " "))
	}
	fail := func(code int, wrote string) (string, error) {
		return "", &launchctlError{verb: args[0], code: code, wrote: wrote, cause: errors.New("exit status")}
	}
	target := args[1]
	domain := strings.TrimSuffix(target, "/"+Name)
	if !m.domains[domain] && args[0] != "bootstrap" {
		return fail(112, "Could not find domain for "+domain)
	}
	j := m.jobs[target]
	switch args[0] {
	case "print":
		if target == domain {
			return domain + " = {\n}\n", nil
		}
		if j == nil {
			return fail(113, "Bad request.\nCould not find service \"filmspool\" in domain for "+domain)
		}
		text := j.print(target)
		if j.state == "SIGTERMed" {
			if m.lingers--; m.lingers <= 0 {
				delete(m.jobs, target)
			}
		}
		return text, nil
	case "print-disabled":
		if m.disabled {
			return "\tdisabled services = {\n\t\t\"com.example\" => enabled\n\t\t\"filmspool\" => disabled\n\t}\n", nil
		}
		return "\tdisabled services = {\n\t}\n", nil
	case "enable":
		m.disabled = false
		return "", nil
	case "bootstrap":
		return m.bootstrap(domain, args[2], fail)
	case "bootout":
		if j == nil {
			return fail(3, "Boot-out failed: 3: No such process")
		}
		if m.lingers > 0 {
			j.state, j.pid = "SIGTERMed", 0
			return fail(36, "Boot-out failed: 36: Operation now in progress")
		}
		delete(m.jobs, target)
		return "", nil
	}
	return fail(64, "Unrecognized subcommand")
}

func (m *mac) bootstrap(domain, path string, fail func(int, string) (string, error)) (string, error) {
	if !m.domains[domain] {
		return fail(125, "Bootstrap failed: 125: Domain does not support specified action")
	}
	if len(m.refuses) > 0 {
		code := m.refuses[0]
		m.refuses = m.refuses[1:]
		return fail(code, fmt.Sprintf("Bootstrap failed: %d: as told", code))
	}
	text, err := os.ReadFile(path)
	if err != nil || m.jobs[domain+"/"+Name] != nil || m.disabled {
		return fail(5, "Bootstrap failed: 5: Input/output error")
	}
	j := &macJob{path: path, text: string(text)}
	m.jobs[domain+"/"+Name] = j
	m.begin(j)
	return "", nil
}

// begin starts the program, which runs unless the test has other plans.
func (m *mac) begin(j *macJob) {
	j.runs++
	m.pids++
	j.state, j.pid = "running", 100+m.pids
	if len(m.programs) > 0 {
		fate := m.programs[0]
		m.programs = m.programs[1:]
		j.state, j.pid, j.lastExit, j.signal = fate.state, fate.pid, fate.lastExit, fate.signal
	}
}

func (j *macJob) print(target string) string {
	lines := []string{
		"active count = 1", "path = " + j.path, "type = LaunchAgent", "state = " + j.state, "",
		"program = /usr/local/bin/filmspool", "arguments = {", "\tpid = 7", "}", "minimum runtime = 10", fmt.Sprintf("runs = %d", j.runs),
	}
	if j.pid != 0 {
		lines = append(lines, fmt.Sprintf("pid = %d", j.pid))
	}
	switch {
	case j.signal != "":
		lines = append(lines, "last terminating signal = "+j.signal)
	case j.lastExit != "":
		lines = append(lines, "last exit code = "+j.lastExit)
	default:
		lines = append(lines, "last exit code = (never exited)")
	}
	return target + " = {\n\t" + strings.Join(lines, "\n\t") + "\n}\n"
}

func (m *mac) loaded() string { return strings.Join(slices.Sorted(maps.Keys(m.jobs)), " ") }

// newMac is a person at the screen, with a program to install.
func newMac(t *testing.T) (*mac, *launchd) {
	t.Helper()
	home := t.TempDir()
	program := filepath.Join(home, "filmspool")
	if err := os.WriteFile(program, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	m := &mac{domains: map[string]bool{"gui/501": true, "user/501": true, "system": true}, jobs: map[string]*macJob{}}
	return m, m.open(Options{Executable: program, Args: []string{"run"}}, home, 501)
}

func (m *mac) open(o Options, library string, uid int) *launchd {
	l := newLaunchd(o, library, m.ctl, uid)
	l.busy, l.settle = 3*time.Second, 20*time.Millisecond
	return l
}
