package rules

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Silence is a pause in which what is watched is dropped.
type Silence struct {
	Account     string
	From, Until time.Time // Until is not part of it
}

// silenced is the silence that a viewing ended in; nil for none. A day that is not
// wholly in one counts as outside. What a person adds by hand is wanted.
func (s Settings) silenced(source string, v viewing.Event) *Silence {
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

// why says what the user wanted.
func (q Silence) why() string {
	const form = "2006-01-02 15:04:05"
	return "Ignored by a pause: it was watched from " + q.From.Local().Format(form) + " to " + q.Until.Local().Format(form) +
		", which you wanted dropped. It is kept for the record, and not sent."
}
