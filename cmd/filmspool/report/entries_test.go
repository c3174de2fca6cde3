package report

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
)

// TestAnEntryIsExplainedInTheOrderOfTime: what was decided between two requests
// stands between them.
func TestAnEntryIsExplainedInTheOrderOfTime(t *testing.T) {
	begins := time.Date(2026, 3, 1, 20, 15, 0, 0, time.UTC)
	at := func(seconds time.Duration) time.Time { return begins.Add(seconds * time.Second) }
	var out bytes.Buffer
	err := Explanation(terminal.To(&out), control.Explanation{Explanation: entry.Explanation{
		Steps:    []entry.Step{{At: at(0), Code: "rule", Text: "First."}, {At: at(2), Code: "retry", Text: "Third."}},
		Requests: []entry.Attempt{{At: at(1), Answer: "second"}, {At: at(3), Answer: "fourth"}},
	}})
	if text := out.String(); err != nil || !regexp.MustCompile(`(?s)First.*second.*Third.*fourth`).MatchString(text) {
		t.Errorf("%v\n%s", err, text)
	}
}
