package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// status adds to what init knows what is the same for all three kinds.
func (d *initd) status(ctx context.Context) (Status, error) {
	if !exists(d.script) {
		return Status{State: NotInstalled}, nil
	}
	s, err := d.state(ctx)
	if err != nil {
		return Status{}, err
	}
	s.Installed, s.Unit, s.Autostart = true, d.script, d.kind.enabled()
	switch s.State {
	case Failed, Restarting:
		s.Hint = command(true, "service logs")
		if strings.Contains(s.Detail, "bad configuration: ") {
			s.Hint = command(true, "config check")
		} else if d.euid != 0 {
			s.Hint = "sudo " + s.Hint
		}
	case Stopped:
		s.Hint = Command(true, "service start")
	case Running:
		link, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", s.PID)) // only its owner may
		s.Outdated = strings.HasSuffix(link, " (deleted)")
	}
	return s, nil
}

// openrcState asks OpenRC, and looks for the process that it names itself: it
// calls a service "started" whose program is dead, as long as it means to
// start that once more. options are the notes of supervise-daemon.
func (d *initd) openrcState(ctx context.Context, options, proc string) (Status, error) {
	note := func(name string) int {
		text, _ := os.ReadFile(filepath.Join(options, name)) // none before the first start
		n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return n
	}
	err := exec.CommandContext(ctx, "rc-service", Name, "status").Run()
	exit, exited := errors.AsType[*exec.ExitError](err)
	if err != nil && !exited {
		return Status{}, fmt.Errorf("ask OpenRC: %w", err)
	}
	s := Status{Restarts: note("start_count")}
	code := 0
	if exited {
		code = exit.ExitCode()
	}
	// The codes of supervise-daemon.sh: 3 stopped, 4 stopping, 8 starting, 16
	// inactive, 32 crashed, 64 without its supervisor.
	switch code {
	case 0:
		if s.PID = note("child_pid"); isOurs(proc, s.PID) {
			s.State = Running
			return s, nil
		}
		s.State, s.PID = Restarting, 0
		s.Detail = "it has ended by itself, and OpenRC will start it again: " + lastError(d.log)
		if s.Restarts > 0 {
			s.Detail = fmt.Sprintf("it ends by itself, and OpenRC starts it again (%d by now): %s", s.Restarts, lastError(d.log))
		}
	case 4:
		s.State = Stopping
	case 8:
		s.State = Starting
	case 32, 64:
		s.State, s.Detail = Failed, "OpenRC has given it up: "+lastError(d.log)
	default:
		s.State, s.Restarts = Stopped, 0
	}
	return s, nil
}

// sysvState looks for the process that the script has noted. One that is gone
// without being stopped has failed: nothing starts it again.
func (d *initd) sysvState(pidFile, proc string) Status {
	text, err := os.ReadFile(pidFile)
	if err != nil {
		return Status{State: Stopped}
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if isOurs(proc, pid) {
		return Status{State: Running, PID: pid}
	}
	return Status{State: Failed, Detail: "it has ended by itself, and SysV init starts nothing again: " + lastError(d.log)}
}

// procdState asks the script, which rc.common gives a status.
func (d *initd) procdState(ctx context.Context) (Status, error) {
	out, err := exec.CommandContext(ctx, d.script, "status").Output()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return Status{}, fmt.Errorf("ask procd: %w", err)
	}
	switch word := strings.TrimSpace(string(out)); {
	case strings.HasPrefix(word, "running"):
		return Status{State: Running}, nil
	case strings.HasPrefix(word, "active with no instances"), strings.HasPrefix(word, "not running"):
		return Status{State: Failed, Detail: "procd has given it up"}, nil
	default:
		return Status{State: Stopped}, nil
	}
}

// isOurs reports whether a process is the program, and no other that has its
// number by now.
func isOurs(proc string, pid int) bool {
	if pid == 0 {
		return false
	}
	comm, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "comm"))
	return err == nil && strings.TrimSpace(string(comm)) == Name
}
