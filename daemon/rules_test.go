package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestBrowsersHearWhatIsIgnored shows a filter of the configuration from the
// browser's end: it may forget what is ignored, and is told why.
func TestBrowsersHearWhatIsIgnored(t *testing.T) {
	b := runDaemon(t, func(o *Options) {
		o.Config.Filters = []config.Filter{
			{Site: "films.example", Kind: "movie", ShorterThan: &config.Duration{Duration: 20 * time.Minute}, Action: config.Ignore},
			{Source: "browser", Kind: "episode", Action: config.Hold},
		}
	})
	mine := b.browser()
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	one := 1
	episode := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &one, Episode: &one}
	for i, tt := range []struct {
		site   string
		length float64
		media  viewing.Media
		status viewing.Status
		reason string
	}{
		{"www.films.example", 600, film, viewing.StatusDropped, "filter 1 (site films.example, kind movie, shorter than 20m0s)"},
		{"films.example", 6000, film, viewing.StatusQueued, ""},
		{"other.example", 600, film, viewing.StatusQueued, ""},
		{"films.example", 600, episode, viewing.StatusQueued, ""},
	} {
		ack, err := mine.Viewing(t.Context(), protocol.Viewing{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Media: tt.media, WatchedAt: fmt.Sprintf("2026-03-0%dT20:00:00Z", i+1), Count: 1,
			Source: protocol.Source{Site: tt.site}, Progress: &viewing.Progress{Position: tt.length, Duration: tt.length, Played: tt.length},
		})
		if err != nil || ack.Status != tt.status || !strings.Contains(ack.Reason, tt.reason) || tt.reason == "" && ack.Reason != "" {
			t.Errorf("%s: %+v, %v", tt.site, ack, err)
		}
	}
	counts, err := b.d.store.Counts(t.Context())
	if want := (entry.Counts{Pending: 2, Held: 1, Dropped: 1}); err != nil || counts != want {
		t.Errorf("counts %+v, %v", counts, err)
	}
}

// TestSettingsOf shows that what the configuration says of classes, by default
// too, is what the rules do by themselves.
func TestSettingsOf(t *testing.T) {
	v := viewing.Event{Kind: viewing.KindViewing, WatchedAt: viewing.At(time.Now())}
	film := viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	c := config.Default()
	for class := range c.Kodi.Classes.ByName() {
		v.Class = viewing.Class(class)
		want := rules.Decide(rules.Settings{}, "kodi:/k", v, &film, time.Now())
		if got := rules.Decide(settingsOf(c), "kodi:/k", v, &film, time.Now()); got.State != want.State || got.Reason != want.Reason {
			t.Errorf("%s: %s (%s), want %s (%s)", class, got.State, got.Reason, want.State, want.Reason)
		}
	}
	c.Kodi.Classes.Backdated = config.Send
	v.Class = viewing.ClassBackdated
	if o := (kodiAccount{rules: settingsOf(c)}).Predict("kodi:/k", v, film, time.Now()); o.State != viewing.StatePending || len(o.Steps) == 0 || o.Steps[0].Code != "rule.sent.class" {
		t.Errorf("%+v", o)
	}
}
