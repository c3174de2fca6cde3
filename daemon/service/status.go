package service

import (
	"fmt"
	"time"
)

// State is what a service is doing, in one word.
type State string

// The states. Restarting means that it ended by itself and the manager waits
// before it starts it once more.
const (
	NotInstalled State = "not installed"
	Stopped      State = "stopped"
	Starting     State = "starting"
	Running      State = "running"
	Stopping     State = "stopping"
	Restarting   State = "restarting"
	Failed       State = "failed"
)

// Status is what the service manager knows. Fields that it does not tell are
// zero: only systemd tells all of them.
type Status struct {
	Installed bool      `json:"installed"`
	State     State     `json:"state"`
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"`     // when it entered this state
	Restarts  int       `json:"restarts,omitempty"` // since it was last started by hand or at boot
	Autostart bool      `json:"autostart"`          // starts with the machine or the login
	// UntilLogout: a person's own service that ends when they log out.
	UntilLogout bool `json:"untilLogout,omitempty"`
	// Version is that of the program that runs; Outdated, that another one is
	// installed by now; Silent, that it runs and gives no answer.
	Version  string `json:"version,omitempty"`
	Outdated bool   `json:"outdated,omitempty"`
	Silent   bool   `json:"silent,omitempty"`
	Unit     string `json:"unit,omitempty"`   // the file that the manager reads
	Detail   string `json:"detail,omitempty"` // what there is to say, in a sentence
	Hint     string `json:"hint,omitempty"`   // a command to type next
}

// tell adds what the program itself answers to what the manager says of it.
func (s *Status) tell(o Options, version string, err error) {
	switch {
	case err != nil:
		s.Silent, s.Detail = true, "it runs, but gives no answer: "+err.Error()
		s.Hint = command(o.System, "service logs")
	case version != "":
		s.Version = version
		s.Outdated = s.Outdated || o.Version != "" && version != o.Version
	}
	if s.Outdated && !s.Silent {
		s.Detail, s.Hint = "another program is installed than the one that runs", Command(o.System, "service restart")
		if version != "" && version != o.Version && o.Version != "" {
			s.Detail = fmt.Sprintf("version %s runs, and %s is installed", version, o.Version)
		}
	}
}
