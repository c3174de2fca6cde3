package service

import (
	"context"
	"fmt"
	"time"
)

// startPatience is how long a service may take until it can be used: a database
// may have to be brought up to date first. logLines is how much of a log is
// shown.
const (
	startPatience = 2 * time.Minute
	logLines      = 200
)

// await asks until the answer is yes or an error.
func await(ctx context.Context, verb string, patience time.Duration, yes func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := yes(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s service: it took longer than %v", verb, patience)
		}
	}
}

// ended says that a service ended where it was to start.
func ended(why string, system bool) error {
	if why == "" {
		why = "it said nothing"
	}
	return &Error{What: "the service ended as it started: " + why, Cause: errEnded, Advice: command(system, "service logs")}
}
