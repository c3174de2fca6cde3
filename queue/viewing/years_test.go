package viewing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Nothing was watched before there were films, or in a year of five digits.
func TestYearsOfAViewing(t *testing.T) {
	for text, good := range map[string]bool{
		"0000-01-01T00:00:00Z": false, "1887-12-31T23:59:59Z": false, "1888-01-01T00:00:00Z": true,
		"1888-01-01T00:00:00+01:00": false, "2026-03-01T20:15:00+01:00": true,
		"9999-12-31T23:59:59Z": true, "9999-12-31T23:59:59-01:00": false,
	} {
		at, err := viewing.ParseInstant(text)
		if err != nil {
			t.Fatal(err)
		}
		err = viewing.Event{
			Kind: viewing.KindViewing, EventID: "e", Count: 1, WatchedAt: at,
			Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}},
		}.Validate()
		if good && err != nil || !good && (!errors.Is(err, viewing.ErrInvalid) || !strings.Contains(err.Error(), "watchedAt: must lie in the years 1888 to 9999")) {
			t.Errorf("%s: %v", text, err)
		}
	}
	none := viewing.Event{Kind: viewing.KindWatchlist, EventID: "e", Media: []viewing.Media{{Type: viewing.Movie}}}
	if err := none.Validate(); err != nil {
		t.Errorf("a wish has no time: %v", err)
	}
}
