package tmdb

import (
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// chainOf returns a chain of one client.
func chainOf(c *Client) resolve.Chain {
	return resolve.Chain{{Name: "TMDB", Fetcher: c, Log: slog.New(slog.DiscardHandler)}}
}

// The rows of the corpus have the same decisions over HTTP.
func TestCorpusOverHTTP(t *testing.T) {
	text, err := os.ReadFile("../testdata/cases.tsv")
	if err != nil {
		t.Fatal(err)
	}
	right, rows, held := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		var e struct {
			viewing.Media
			Minutes int
		}
		if cells[2] != "tmdb" || json.Unmarshal([]byte(cells[1]), &e) != nil || e.Type == "" {
			continue // for another provider, or not a viewing
		}
		s := &stub{t: t}
		if err := json.Unmarshal([]byte(cells[3]), &s.world); err != nil && !strings.Contains(cells[3], "to be read") {
			t.Fatalf("%s: %v", cells[3], err)
		}
		rows++
		d, err := chainOf(s.start()).Decide(t.Context(), []resolve.Evidence{{Media: e.Media, Runtime: time.Duration(e.Minutes) * time.Minute}})
		got := "hold"
		if d[0].Item != nil {
			got = d[0].Item.Key()
		}
		if got == cells[4] {
			right++
		} else if cells[5] == "no" && got == "hold" {
			held++
			t.Logf("held: %s: %s (%v, %v)", cells[0], cells[1], d[0].Why, err)
		} else if got != "hold" {
			t.Errorf("%s: %s\n  in %s: %s (%v, %v), want %s", cells[0], cells[1], cells[3], got, d[0].Why, err, cells[4])
		}
	}
	if t.Logf("%d of %d rows right, the others held", right, rows); rows < 300 || held > 2 {
		t.Errorf("%d rows, %d are held unnecessarily", rows, held)
	}
}
