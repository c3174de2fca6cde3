package service

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// unitState is what "systemctl show" tells about our unit.
type unitState struct {
	load, active, sub, fragment, file, result, text string

	pid, lastPID, restarts, exitStatus int

	since       time.Time
	needsReload bool
}

// show reads the unit's state. It works, and says "not-found", for a unit that
// is not there.
func (c systemctl) show(ctx context.Context) (unitState, error) {
	out, err := c.output(ctx, "show", unitName, "--property=LoadState,ActiveState,SubState,FragmentPath,UnitFileState,"+
		"Result,StatusText,MainPID,ExecMainPID,NRestarts,ExecMainStatus,StateChangeTimestamp,NeedDaemonReload")
	if err != nil {
		return unitState{}, err
	}
	return parseShow(out), nil
}

// parseShow reads the lines KEY=VALUE. A number or time that cannot be read is
// left zero: it is only told, never decided by.
func parseShow(out string) unitState {
	value := map[string]string{}
	for line := range strings.Lines(out) {
		key, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		value[key] = v
	}
	number := func(key string) int {
		n, _ := strconv.Atoi(value[key])
		return n
	}
	since, _ := time.Parse("Mon 2006-01-02 15:04:05 MST", value["StateChangeTimestamp"])
	return unitState{
		load: value["LoadState"], active: value["ActiveState"], sub: value["SubState"],
		fragment: value["FragmentPath"], file: value["UnitFileState"],
		result: value["Result"], text: value["StatusText"],
		pid: number("MainPID"), lastPID: number("ExecMainPID"), restarts: number("NRestarts"), exitStatus: number("ExecMainStatus"),
		since: since, needsReload: value["NeedDaemonReload"] == "yes",
	}
}

// loaded reports whether systemd knows a unit of our name, or still runs one
// whose file is gone.
func (u unitState) loaded() bool { return u.load != "not-found" || u.active == "active" }

// status says it in our words.
func (u unitState) status() Status {
	if !u.loaded() {
		return Status{State: NotInstalled}
	}
	return Status{
		Installed: true, State: u.state(), PID: u.pid, Since: u.since, Restarts: u.restarts,
		Autostart: strings.HasPrefix(u.file, "enabled"), Unit: u.fragment, Detail: u.detail(),
	}
}

// state does not call a service running that waits between two crashes:
// systemd calls that "activating (auto-restart)".
func (u unitState) state() State {
	switch {
	case strings.HasPrefix(u.sub, "auto-restart"):
		return Restarting
	case u.active == "active" || u.active == "reloading":
		return Running
	case u.active == "activating":
		return Starting
	case u.active == "deactivating":
		return Stopping
	case u.active == "failed":
		return Failed
	}
	return Stopped
}

func (u unitState) detail() string {
	switch {
	case u.load != "loaded":
		return fmt.Sprintf("systemd cannot use the unit: %s", u.load)
	case u.state() == Failed && u.exitStatus == exitConfig && u.text != "":
		return u.text + " (exit code 78)" // the program's own words
	case u.state() == Restarting && u.restarts > 0:
		again := "once"
		if u.restarts > 1 {
			again = fmt.Sprintf("%d times", u.restarts)
		}
		return fmt.Sprintf("%s; systemd started it again %s, and goes on", failure(u.result, u.exitStatus), again)
	case u.state() == Restarting || u.state() == Failed:
		return failure(u.result, u.exitStatus)
	case u.needsReload:
		return "the unit has changed since systemd read it"
	}
	return u.text
}

// exitConfig is the program's exit code for what a new start would not mend.
const exitConfig = 78

// failure says why the program ended (systemd.exec(5), "Process exit codes").
func failure(result string, status int) string {
	switch {
	case status == exitConfig:
		return "the configuration is wrong, or the database is of a newer version (exit code 78)"
	case result == "exit-code" && status == 203:
		return "systemd cannot run the program (203/EXEC)"
	case result == "exit-code" && slices.Contains(wallFaults(), status):
		return fmt.Sprintf("this system does not allow the service its sandbox (%d); filmspool service install writes a unit that does without", status)
	case result == "exit-code" && status == 0:
		return "what systemd runs before it has failed"
	case result == "exit-code":
		return fmt.Sprintf("it ended with exit code %d", status)
	case result == "signal" || result == "core-dump":
		return fmt.Sprintf("it was ended by signal %d", status)
	case result == "protocol":
		return "it ended before it was ready"
	case result == "watchdog":
		return "it gave no sign of life in time"
	case result == "timeout":
		return "it did not become ready, or did not stop, in time"
	case result == "start-limit-hit":
		return "it was started too often in too short a time"
	}
	return result
}
