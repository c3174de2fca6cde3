//go:build long

package rules_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// BenchmarkDecide is what a decision costs by twenty filters, none of which
// fits.
func BenchmarkDecide(b *testing.B) {
	var s rules.Settings
	for n := range 10 {
		s.Filters = append(s.Filters,
			rules.NewFilter(rules.Match{Path: fmt.Sprintf("/srv/films/**/kids%d", n)}, rules.Ignore),
			rules.NewFilter(rules.Match{Genre: fmt.Sprint("Genre ", n), ShorterThan: time.Minute}, rules.Hold))
	}
	v := played(viewing.Origin{
		Path: "/srv/films/A Film (1999)/A Film (1999).mkv", Folder: "/srv/films/", Runtime: 7200, Genres: []string{"Crime", "Drama"},
	})
	for b.Loop() {
		if d := rules.Decide(s, "kodi:/k", v, theFilm(), noon()); d.State != viewing.StatePending {
			b.Fatal(d)
		}
	}
}
