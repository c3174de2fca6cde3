package kodi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// heardOf is a sink that has heard of viewings of one item.
type heardOf struct {
	*sink
	key   string
	times []viewing.Instant
	err   error
}

func (h heardOf) Taken(context.Context, string, []string) (map[string]bool, error) { return nil, nil }

func (h heardOf) Recorded(context.Context, string, []string) (map[string][]viewing.Instant, error) {
	return map[string][]viewing.Instant{h.key: h.times}, h.err
}

// What another source has told of is not sent again; everything else is.
func TestWary(t *testing.T) {
	end := time.Date(2026, 3, 1, 21, 0, 0, 0, time.UTC)
	day := viewing.At(end.Add(-9 * time.Hour))
	day.Precision = viewing.Day
	for _, c := range []struct {
		name  string
		heard viewing.Instant
		class viewing.Class // as found
		want  viewing.Class
	}{
		{"an hour before", viewing.At(end.Add(-time.Hour)), viewing.ClassLive, viewing.ClassReview},
		{"an hour after", viewing.At(end.Add(time.Hour)), viewing.ClassCatchUp, viewing.ClassReview},
		{"the day before", viewing.At(end.Add(-24 * time.Hour)), viewing.ClassLive, viewing.ClassLive},
		{"on this day", day, viewing.ClassLive, viewing.ClassReview},
		{"held anyway", viewing.At(end), viewing.ClassBackdated, viewing.ClassBackdated},
	} {
		s := heardOf{sink: newSink(), key: "movie:603", times: []viewing.Instant{c.heard}}
		v := viewing.Event{
			Kind: viewing.KindViewing, EventID: "e", Class: c.class, WatchedAt: viewing.At(end), Count: 1,
			Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}},
		}
		given := viewing.Batch{Source: "kodi:/films", Events: []viewing.Event{v}}
		if _, err := beWary(s).Commit(t.Context(), given); err != nil {
			t.Fatal(err)
		}
		got := s.viewings()[0]
		if got.Class != c.want || strings.Contains(got.Origin.Note, "known already") != (c.want != c.class) {
			t.Errorf("%s: %s, %q", c.name, got.Class, got.Origin.Note)
		}
		if given.Events[0].Class != c.class {
			t.Errorf("%s: the caller's batch was changed", c.name)
		}
	}
}

// While the queue cannot tell, nothing is handed over.
func TestWaryWaits(t *testing.T) {
	s := heardOf{sink: newSink(), err: errors.New("busy")}
	v := viewing.Event{Class: viewing.ClassLive, Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}}}
	if _, err := beWary(s).Commit(t.Context(), viewing.Batch{Events: []viewing.Event{v}}); err == nil || len(s.viewings()) != 0 {
		t.Errorf("%v, %d viewings", err, len(s.viewings()))
	}
	if plain := newSink(); beWary(plain) != Sink(plain) {
		t.Error("a sink that cannot tell was wrapped")
	}
}
