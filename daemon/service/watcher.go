package service

import (
	"context"
	"fmt"
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
