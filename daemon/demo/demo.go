package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
)

// Options is what a tour needs to know.
type Options struct {
	Story   io.Writer // where the story is told, line by line
	Once    bool      // end after the tour; otherwise stay up until ctx ends
	Version string
	// Start runs a daemon and finds it, until stop is called.
	Start func(context.Context, config.Config, config.Paths, string) (found *control.Client, stop func() error, err error)
}

// Result is the count at the end, taken from the service's records.
type Result struct {
	History struct {
		Browser int `json:"browser"`
		Kodi    int `json:"kodi"`
		CLI     int `json:"cli"`
	} `json:"history"`
	Watchlist   int `json:"watchlist"`
	Lists       int `json:"lists"`
	Lost        int `json:"lost"`        // acknowledged, but not at the service
	Doubled     int `json:"doubled"`     // at the service more than once, or never acknowledged
	OfflineHeld int `json:"offlineHeld"` // most that waited while the service was away
}

// ErrMiscounted is returned when the count is not what was watched.
var ErrMiscounted = errors.New("what arrived is not what was watched")

// tourTime bounds the whole tour, for machines under load.
const tourTime = 2 * time.Minute

// Run gives the tour. The error wraps [ErrMiscounted] when anything was lost
// or doubled.
func Run(ctx context.Context, o Options) (Result, error) {
	dir, err := os.MkdirTemp("", "filmspool-demo-")
	if err != nil {
		return Result{}, fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir)
	t := &tour{o: o, dir: dir, began: time.Now()}
	defer t.close()
	limited, cancel := context.WithTimeout(ctx, tourTime)
	defer cancel()
	for _, act := range []func(context.Context) error{
		t.setTheStage, t.watchWithTheService, t.watchWithout, t.restart, t.bringBack,
	} {
		if err := act(limited); err != nil {
			return t.result, fmt.Errorf("tour: %w", err)
		}
	}
	if err := t.count(limited); err != nil {
		return t.result, err
	}
	if !o.Once {
		t.stay(ctx)
	}
	return t.result, nil
}

// tour is one tour under way.
type tour struct {
	o      Options
	dir    string
	began  time.Time
	stage  stage
	plan   plan
	played time.Time // the last end of a playback in Kodi
	result Result
}

// say tells one line of the story, with the seconds since it began.
func (t *tour) say(format string, args ...any) {
	fmt.Fprintf(t.o.Story, "%5.1fs  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
}
