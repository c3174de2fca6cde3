package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// changelog is the file that the notes of all releases stand in.
const changelog = "packaging/CHANGELOG.md"

// errNoNotes means that nobody wrote what is new.
var errNoNotes = errors.New("nothing is written about it in " + changelog)

// section is what one release brought.
type section struct {
	Version string
	Day     time.Time
	Body    string
	Points  []string // the body's list up to its first heading, a line each
}

// parseNotes reads "## VERSION - DAY" and what stands below, newest first.
func parseNotes(text string) (found []section, err error) {
	for _, part := range strings.Split("\n"+text, "\n## ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		name, day, dated := strings.Cut(strings.TrimSpace(head), " - ")
		s := section{Version: name, Body: strings.TrimSpace(body)}
		if dated {
			if s.Day, err = time.Parse(time.DateOnly, day); err != nil {
				return nil, fmt.Errorf("read the day of %s: %w", s.Version, err)
			}
		}
		news, _, _ := strings.Cut(body, "\n### ")
		news = regexp.MustCompile(`\n {2,}`).ReplaceAllString(news, " ")
		for line := range strings.Lines(news) {
			if point, ok := strings.CutPrefix(line, "- "); ok {
				s.Points = append(s.Points, strings.TrimSpace(point))
			}
		}
		found = append(found, s)
	}
	return found, nil
}

// upTo are the sections of a version and of those before it. A version without
// a section of its own is what is unreleased.
func upTo(all []section, version string, when time.Time) ([]section, error) {
	if i := slices.IndexFunc(all, func(s section) bool { return s.Version == version }); i >= 0 {
		return all[i:], nil
	}
	if len(all) == 0 || all[0].Version != "Unreleased" || all[0].Body == "" {
		return nil, fmt.Errorf("release %s: %w", version, errNoNotes)
	}
	next := slices.Clone(all)
	next[0].Version, next[0].Day = version, when
	return next, nil
}

// readNotes finds what is new in this release.
func (r *release) readNotes(context.Context) error {
	text, err := os.ReadFile(filepath.Join(r.root, changelog))
	if err != nil {
		return err
	}
	all, err := parseNotes(string(text))
	if err != nil {
		return err
	}
	r.notes, err = upTo(all, r.version, r.when)
	return err
}
