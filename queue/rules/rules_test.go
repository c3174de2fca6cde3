package rules_test

import (
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// seen returns a viewing that ended at the given distance from now.
func seen(class viewing.Class, ahead time.Duration) viewing.Event {
	return viewing.Event{Kind: viewing.KindViewing, EventID: "e", Class: class, WatchedAt: viewing.At(noon().Add(ahead))}
}

// dated returns a viewing of a day relative to now, in a zone eleven hours behind UTC.
func dated(days int) viewing.Event {
	v := seen("", 11*time.Hour+time.Duration(days)*24*time.Hour)
	v.WatchedAt.Precision = viewing.Day
	return v
}

func number(n int) *int { return &n }

func TestDecideState(t *testing.T) {
	film := &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	imdbOnly := &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{IMDB: "tt0133093"}, Title: "Alpha One"}
	placed := &viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: number(0), Episode: number(1)}
	unplaced := &viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TVDB: 9}}, Season: number(1), Episode: number(1)}
	series := &viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}}
	wish := viewing.Event{Kind: viewing.KindWatchlist, EventID: "w"}
	list := viewing.Event{Kind: viewing.KindList, EventID: "l", List: &viewing.List{Name: "Red"}}
	tests := []struct {
		name   string
		v      viewing.Event
		m      *viewing.Media
		reason string // "" is pending
	}{
		{"film", seen("", -time.Hour), film, ""},
		{"live film", seen(viewing.ClassLive, 0), film, ""},
		{"catch-up film", seen(viewing.ClassCatchUp, -time.Hour), film, ""},
		{"clock five minutes ahead", seen("", 5*time.Minute), film, ""},
		{"clock further ahead", seen("", 5*time.Minute+time.Millisecond), film, viewing.ReasonFuture},
		{"today, without a time", dated(0), film, ""},
		{"tomorrow, likewise", dated(1), film, viewing.ReasonFuture},
		{"bulk", seen(viewing.ClassBulk, -time.Hour), film, viewing.ReasonBulk},
		{"backdated", seen(viewing.ClassBackdated, -time.Hour), film, viewing.ReasonBackdated},
		{"review", seen(viewing.ClassReview, -time.Hour), film, viewing.ReasonReview},
		{"import", seen(viewing.ClassImport, -9000*time.Hour), film, ""},
		{"import without tmdb", seen(viewing.ClassImport, -9000*time.Hour), imdbOnly, viewing.ReasonUnresolved},
		{"future and bulk", seen(viewing.ClassBulk, time.Hour), film, viewing.ReasonFuture},
		{"bulk and unidentified", seen(viewing.ClassBulk, -time.Hour), imdbOnly, viewing.ReasonBulk},
		{"imdb only", seen("", -time.Hour), imdbOnly, viewing.ReasonUnresolved},
		{"special episode", seen("", -time.Hour), placed, ""},
		{"episode without a series id", seen("", -time.Hour), unplaced, viewing.ReasonUnresolved},
		{"wish for a film", wish, film, ""},
		{"wish for a series", wish, series, ""},
		{"wish without tmdb", wish, imdbOnly, viewing.ReasonUnresolved},
		{"list", list, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := rules.Decide(rules.Settings{}, "browser:b1", tt.v, tt.m, noon())
			want := viewing.StateHeld
			if tt.reason == "" {
				want = viewing.StatePending
			}
			if d.State != want || d.Reason != tt.reason {
				t.Errorf("decided %s (%s), want %s (%s)", d.State, d.Reason, want, tt.reason)
			}
		})
	}
}

func TestSourceLabelsMatchRoutesAndFilters(t *testing.T) {
	s := rules.Settings{
		Routes: map[string][]string{"browser:b1": {"exact"}, "browser:living-room": {"anna", "ben"}, "browser": {"kind"}},
		Label: func(source string) string {
			return map[string]string{"browser:b1": "living-room", "browser:b2": "living-room", "program:p": "living-room"}[source]
		},
		Filters: []rules.Filter{rules.NewFilter(rules.Match{Source: "browser:living-room"}, rules.Ignore)},
	}
	for source, want := range map[string]struct {
		accounts []string
		state    viewing.State
	}{
		"browser:b1": {[]string{"exact"}, viewing.StateDropped},
		"browser:b2": {[]string{"anna", "ben"}, viewing.StateDropped},
		"browser:b3": {[]string{"kind"}, viewing.StatePending},
		"program:p":  {[]string{"default"}, viewing.StatePending},
	} {
		d := rules.Decide(s, source, seen("", -time.Hour), theFilm(), noon())
		if got := s.AccountsOf(source); !slices.Equal(got, want.accounts) || d.State != want.state {
			t.Errorf("%s goes to %q, %s, want %+v", source, got, d.State, want)
		}
	}
}

// TestAccountsOf: the exact name has precedence over the kind, and the kind over "".
func TestAccountsOf(t *testing.T) {
	routes := map[string][]string{"browser:b2": {"second"}, "kodi": {"living room"}, "kodi:/k": {"anna", "ben", "kim"}, "cli": nil}
	whole := map[string][]string{"": {"only"}, "kodi": {"anna"}}
	tests := []struct {
		routes      map[string][]string
		source, why string
		accounts    []string
	}{
		{routes, "browser:b1", "rule.route.none browser:b1: default", []string{"default"}},
		{routes, "browser:b2", "rule.route browser:b2: second", []string{"second"}},
		{routes, "browser:b22", "rule.route.none browser:b22: default", []string{"default"}},
		{routes, "kodi:/home/me/.kodi/userdata", "rule.route kodi: living room", []string{"living room"}},
		{routes, "kodi:/k", "rule.route kodi:/k: anna, ben, kim", []string{"anna", "ben", "kim"}},
		{routes, "cli", "rule.route.none cli: default", []string{"default"}},
		{routes, "", "rule.route.none : default", []string{"default"}},
		{whole, "cli", "rule.route.none cli: only", []string{"only"}},
		{whole, "kodi:/k", "rule.route kodi: anna", []string{"anna"}},
	}
	for _, tt := range tests {
		s := rules.Settings{Routes: tt.routes}
		if got := s.AccountsOf(tt.source); !slices.Equal(got, tt.accounts) {
			t.Errorf("%q goes to %q, want %q", tt.source, got, tt.accounts)
		}
		if d := rules.Decide(s, tt.source, seen("", 0), nil, noon()); d.Steps[0].Code+" "+d.Steps[0].Args["route"]+": "+d.Steps[0].Args["accounts"] != tt.why {
			t.Errorf("%q: %q", tt.source, d.Steps)
		}
	}
}
