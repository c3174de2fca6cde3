package service

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// noRetry reports whether an exit code tells of a fault that another start
// would not mend: a wrong configuration (78, EX_CONFIG) or command line.
func noRetry(code int) bool { return code == 78 || code == 2 }

// recordPath is where a service leaves word of itself that its manager has no
// room for.
func recordPath(state string) string { return filepath.Join(state, "service.json") }

// record is that word.
type record struct {
	State    State     `json:"state"`
	PID      int       `json:"pid,omitempty"`
	Watcher  int       `json:"watcher,omitempty"` // the process that keeps it running
	Since    time.Time `json:"since,omitzero"`
	Restarts int       `json:"restarts,omitempty"`
	Detail   string    `json:"detail,omitempty"`

	logged bool // the program itself put Detail into its log
}

// readRecord is what was left last; nothing, or nothing that can be read, is an
// empty record.
func readRecord(state string) (r record) {
	text, err := os.ReadFile(recordPath(state))
	if err != nil || json.Unmarshal(text, &r) != nil {
		return record{}
	}
	return r
}

// write leaves word. A reader that comes in between sees an empty record.
func (r record) write(state string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if err := os.WriteFile(recordPath(state), text, 0o600); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}
