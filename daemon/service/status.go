package service

import "time"

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
	Unit      string    `json:"unit,omitempty"`     // the file that the manager reads
	Detail    string    `json:"detail,omitempty"`   // one sentence, when there is something to say
}
