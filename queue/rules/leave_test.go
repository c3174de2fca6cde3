package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestDecideGrace(t *testing.T) {
	film := &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
	for _, tt := range []struct {
		name   string
		source string
		grace  time.Duration
		class  viewing.Class
		want   time.Time
		says   string
	}{
		{"none", "browser:b1", 0, "", time.Time{}, "rule.free"},
		{"some", "browser:b1", 10 * time.Minute, "", noon().Add(10 * time.Minute), "rule.free.at 2026-03-01T12:10:00Z"},
		{"odd", "browser:b1", 1500 * time.Millisecond, "", noon().Add(1500 * time.Millisecond), "rule.free.at 2026-03-01T12:00:01.5Z"},
		{"a library's", "kodi:/k", 0, viewing.ClassLive, noon().Add(5 * time.Second), "rule.free.at 2026-03-01T12:00:05Z"},
		{"a library's, caught up", "kodi:/k", time.Second, viewing.ClassCatchUp, noon().Add(5 * time.Second), "rule.free.at 2026-03-01T12:00:05Z"},
		{"a library's, with more", "kodi:/k", time.Minute, viewing.ClassLive, noon().Add(time.Minute), "rule.free.at 2026-03-01T12:01:00Z"},
		{"a library's past", "kodi:/k", 0, viewing.ClassImport, time.Time{}, "rule.free"},
		{"import", "kodi:/k", time.Hour, viewing.ClassImport, noon().Add(time.Hour), "rule.free.at 2026-03-01T13:00:00Z"},
		{"held", "kodi:/k", time.Hour, viewing.ClassBulk, noon().Add(time.Hour), "rule.bulk"},
	} {
		d := rules.Decide(rules.Settings{Grace: tt.grace}, tt.source, seen(tt.class, -time.Hour), film, noon())
		if !d.NotBefore.Equal(tt.want) || strings.TrimSpace(d.Why.Code+" "+d.Why.Args["at"]) != tt.says {
			t.Errorf("%s: not before %v, %q, want %v, %q", tt.name, d.NotBefore, d.Steps, tt.want, tt.says)
		}
	}
}
