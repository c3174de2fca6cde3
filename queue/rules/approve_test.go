package rules_test

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestSilence(t *testing.T) {
	hour := func(n int) time.Time { return noon().Add(time.Duration(n) * time.Hour) }
	s := rules.Settings{Silences: []account.Silence{{Account: "default", From: hour(-30), Until: hour(-2)}}}
	day := viewing.At(hour(-24))
	day.Precision = viewing.Day
	early := viewing.At(hour(-18))
	early.Precision = viewing.Day
	for _, c := range []struct {
		name   string
		source string
		at     viewing.Instant
		want   viewing.State
	}{
		{"within", "browser:b", viewing.At(hour(-3)), viewing.StateDropped},
		{"at its beginning", "kodi:/k", viewing.At(hour(-30)), viewing.StateDropped},
		{"before", "browser:b", viewing.At(hour(-31)), viewing.StatePending},
		{"at its end", "browser:b", viewing.At(hour(-2)), viewing.StatePending},
		{"a day that began before it", "browser:b", day, viewing.StatePending},
		{"a day within it", "browser:b", early, viewing.StateDropped},
		{"added by hand", "cli", viewing.At(hour(-3)), viewing.StatePending},
	} {
		if c.name == "a day within it" {
			s.Silences[0].From = hour(-31)
		}
		v := seen("", 0)
		v.WatchedAt = c.at
		d := rules.Decide(s, c.source, v, theFilm(), noon())
		if d.State != c.want || d.State == viewing.StateDropped && (d.Reason != viewing.ReasonPaused || !rules.Ignored(d.Reason)) {
			t.Errorf("%s: %s (%s)", c.name, d.State, d.Reason)
		}
	}
}

func TestApprove(t *testing.T) {
	wish := viewing.Event{Kind: viewing.KindWatchlist}
	live, imported := seen(viewing.ClassLive, -time.Hour), seen(viewing.ClassImport, -time.Hour)
	for _, c := range []struct {
		approve rules.Approval
		v       viewing.Event
		item    *viewing.Media
		want    string
	}{
		{rules.ApproveNone, live, theFilm(), ""},
		{rules.ApproveAll, live, theFilm(), viewing.ReasonApprove},
		{rules.ApproveAll, wish, theFilm(), ""},
		{rules.ApproveAll, viewing.Event{Kind: viewing.KindList}, nil, ""},
		{rules.ApproveAll, imported, theFilm(), ""},
		{rules.ApproveAll, live, &viewing.Media{Type: viewing.Movie}, viewing.ReasonUnresolved},
		{rules.ApproveAll, seen(viewing.ClassBulk, -time.Hour), theFilm(), viewing.ReasonBulk},
		{rules.ApproveUncertain, live, theFilm(), viewing.ReasonApprove},
		{rules.ApproveFirst, live, theFilm(), ""},
		{rules.ApproveFirst, live, theEpisode(), viewing.ReasonApprove},
	} {
		s := rules.Settings{Approve: c.approve, Filters: []rules.Filter{rules.NewFilter(rules.Match{}, rules.Send)}}
		if d := rules.Decide(s, "kodi:/k", c.v, c.item, noon()); d.Reason != c.want {
			t.Errorf("%q of %+v: %q, want %q", c.approve, c.v, d.Reason, c.want)
		}
	}
}
