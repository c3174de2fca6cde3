package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// How long a watcher waits before it starts a program once more: the first
// time, and at most. A program that ran for calm begins anew.
const (
	firstPause = 5 * time.Second
	mostPause  = 5 * time.Minute
	calm       = 10 * time.Minute
)

// notAgain comes before a fault that another start would not mend.
const notAgain = "not started again until this is mended: "

// watcher keeps a program running where no service manager does.
type watcher struct {
	// once runs the program until it ends, and returns its exit code and what it
	// said of that; it calls began with the process. Once ctx ends the program
	// is to stop, and once waits for that. The error means that it did not run.
	once func(ctx context.Context, began func(pid int)) (code int, said string, err error)
	// tell leaves word of how things stand.
	tell func(record)
}

// keep runs the program until ctx ends, it ends well, or with a fault that
// another start would not mend.
func (w *watcher) keep(ctx context.Context) {
	pause := firstPause
	for restarts := 0; ; restarts++ {
		began := time.Now()
		code, said, err := w.once(ctx, func(pid int) {
			w.tell(record{State: Starting, PID: pid, Since: began, Restarts: restarts})
		})
		logged := said != ""
		switch {
		case ctx.Err() != nil, err == nil && code == 0:
			w.tell(record{State: Stopped, Since: time.Now()})
			return
		case err != nil:
			said = "it could not be started: " + err.Error()
		case said == "":
			said = fmt.Sprintf("it ended with exit code %d", code)
		}
		if err == nil && noRetry(code) {
			w.tell(record{State: Failed, Since: time.Now(), Restarts: restarts, Detail: notAgain + said, logged: logged})
			return
		}
		if time.Since(began) >= calm {
			pause = firstPause
		}
		w.tell(record{State: Restarting, Since: time.Now(), Restarts: restarts, Detail: fmt.Sprintf("started again after %v: %s", pause, said)})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			w.tell(record{State: Stopped, Since: time.Now()})
			return
		}
		pause = min(2*pause, mostPause)
	}
}

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

// forget takes back what was left: it is no news of the next start.
func forget(state string) error {
	if err := os.Remove(recordPath(state)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("start program: %w", err)
	}
	return nil
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
