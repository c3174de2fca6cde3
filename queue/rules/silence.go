package rules

import (
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// silenced is the silence that a viewing ended in; nil for none. A day that is not
// wholly in one counts as outside. What a person adds by hand is wanted.
func (s Settings) silenced(source string, v viewing.Event) *account.Silence {
	if v.Kind != viewing.KindViewing || source == viewing.SourceCLI {
		return nil
	}
	begin := v.WatchedAt.Begins()
	last := begin
	if v.WatchedAt.Precision == viewing.Day {
		last = begin.Add(24*time.Hour - 1)
	}
	for i, q := range s.Silences {
		if !begin.Before(q.From) && last.Before(q.Until) {
			return &s.Silences[i]
		}
	}
	return nil
}
