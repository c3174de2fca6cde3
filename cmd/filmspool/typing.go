package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// mistyped is an error of what a person typed, with the way on that it carries.
func mistyped(flag string, err error) error {
	var problem *typed.Error
	if !errors.As(err, &problem) {
		return err
	}
	message := problem.Problem
	if flag != "" {
		message = flag + ": " + message
	}
	return &exitError{code: exitUsage, message: message, hint: problem.Next}
}

// movieOf reads a film; flag is the flag that it came with, or "".
func movieOf(flag, text string) (viewing.Media, error) {
	m, err := typed.ParseMovie(text)
	return m, mistyped(flag, err)
}

// seriesOf reads a whole series.
func seriesOf(flag, text string) (viewing.Media, error) {
	m, err := typed.ParseSeries(text)
	return m, mistyped(flag, err)
}

// episodeOf reads a series, and as much of an episode as the text names.
func episodeOf(flag, text string) (viewing.Media, error) {
	m, err := typed.ParseEpisode(text)
	return m, mistyped(flag, err)
}

// timeOf reads a time that came with a flag.
func timeOf(flag, text string) (typed.Time, error) {
	t, err := typed.ParseTime(text, time.Now())
	return t, mistyped(flag, err)
}

// instantOf reads when a viewing ended.
func instantOf(flag, text string) (viewing.Instant, error) {
	now := time.Now()
	t, err := typed.ParseTime(text, now)
	if err != nil {
		return viewing.Instant{}, mistyped(flag, err)
	}
	return t.Instant(now), nil
}

// checked refuses, as a mistake in the command line, what the field rules refuse.
func checked(v viewing.Event) error {
	err := v.Validate()
	if err == nil {
		return nil
	}
	words := map[string]string{
		"media.season": "--season", "media.episode": "--episode", "name": "the name", "description": "--description",
		"visibility": "--visibility", "priority": "--priority", "watchedAt": "--watched-at",
	}
	faults := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok { // what was joined stands at the top
		faults = all.Unwrap()
	}
	var says []string
	for _, fault := range faults {
		var f *viewing.FieldError
		if !errors.As(fault, &f) {
			return fault
		}
		field := words[f.Field]
		if field == "" {
			field = f.Field
		}
		says = append(says, fmt.Sprintf("%s: %s", field, f.Problem))
	}
	return &exitError{code: exitUsage, message: strings.Join(says, "; ")}
}
