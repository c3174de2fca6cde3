//go:build unix

package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// launchctl runs one command of launchd's tool and returns what it wrote. A
// failed one is a *launchctlError.
type launchctl func(ctx context.Context, args ...string) (string, error)

// launchctlError is a command that failed.
type launchctlError struct {
	verb  string
	code  int    // the tool's exit code, mostly an errno of Apple's; -1 if it did not run
	wrote string // may be empty
	cause error
}

func (e *launchctlError) Error() string {
	if e.wrote == "" {
		return fmt.Sprintf("launchctl %s: %v", e.verb, e.cause)
	}
	return fmt.Sprintf("launchctl %s: %s", e.verb, e.wrote)
}

func (e *launchctlError) Unwrap() error { return e.cause }

// absent reports whether the tool said that there is no such job or no such
// domain: 3 "No such process" of bootout, 112 "Could not find domain" and 113
// "Could not find service" of print, 125 "Domain does not support specified
// action" where nobody is logged in on the screen.
func absent(err error) bool {
	var failed *launchctlError
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.code {
	case 3, 112, 113, 125:
		return true
	}
	return strings.Contains(failed.wrote, "Could not find")
}

// inProgress reports whether launchd was still busy with what was asked before:
// 5 "Input/output error" of a bootstrap that comes too soon after a bootout, 36
// and 37 "Operation now (already) in progress".
func inProgress(err error) bool {
	var failed *launchctlError
	return errors.As(err, &failed) && (failed.code == 5 || failed.code == 36 || failed.code == 37)
}

// execLaunchctl is the tool itself.
func execLaunchctl(tool string) launchctl {
	return func(ctx context.Context, args ...string) (string, error) {
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, tool, args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if err == nil {
			return stdout.String(), nil
		}
		failed := &launchctlError{verb: args[0], code: -1, wrote: oneLine(stderr.String()), cause: err}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			failed.code = exit.ExitCode()
		}
		return "", failed
	}
}

// oneLine joins the lines of a message.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// job is what "launchctl print" tells of our service in one domain.
type job struct {
	domain, state, path string

	pid, runs int
	exitCode  int    // of the last run that ended; -1 before there is one, and after a signal
	signal    string // that ended the last run, or why it was killed; empty otherwise
}

// target is how launchctl names it.
func (j job) target() string { return j.domain + "/" + Name }

// parsePrint reads the lines "key = value" of the service itself, which are
// indented once; its inner lists are deeper. launchctl(1) calls this output no
// interface, so what cannot be read is left out, and nothing but a process id
// is needed to call a service running.
func parsePrint(domain, out string) job {
	j := job{domain: domain, exitCode: -1}
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		if !ok || !strings.HasPrefix(key, "\t") || strings.HasPrefix(key, "\t\t") {
			continue
		}
		switch strings.TrimSpace(key) {
		case "state":
			j.state = value
		case "path":
			j.path = value
		case "pid":
			j.pid, _ = strconv.Atoi(value)
		case "runs":
			j.runs, _ = strconv.Atoi(value)
		case "last exit code": // "0", "78: EX_CONFIG", "(never exited)"
			number, _, _ := strings.Cut(value, ":")
			if n, err := strconv.Atoi(number); err == nil {
				j.exitCode = n
			}
		case "last terminating signal", "last exit reason": // "Killed: 9"; the latter for want of memory, too
			j.signal = value
		}
	}
	return j
}

// situation says in our words what the job is doing, but for why it ended.
// Without a process, one that ended with 0 did so by itself, because a stop
// takes the job away; see [ExitCode] for why it does.
func (j job) situation() State {
	switch {
	case j.pid != 0 || j.state == "running":
		return Running
	case j.failed():
		return Restarting
	case j.exitCode == 0:
		return Failed
	case j.state == "spawn scheduled":
		return Starting
	}
	return Stopped
}

// failed reports whether the last run that ended did so badly.
func (j job) failed() bool { return j.signal != "" || j.exitCode > 0 }

// failure says how the last run ended.
func (j job) failure() string {
	switch {
	case j.signal != "":
		return "it was ended by a signal: " + j.signal
	case j.exitCode == 78:
		// The program itself ends with 0 instead, so this is launchd's own.
		return "launchd could not start the program, or could not write its log"
	}
	return fmt.Sprintf("it ended with exit code %d", j.exitCode)
}
