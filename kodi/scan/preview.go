package scan

import (
	"github.com/filmspool/filmspool/queue/viewing"
)

// Preview is what an import would hand over. Its numbers count viewings, one
// for each episode of a file that holds several.
type Preview struct {
	Userdata   string          `json:"userdata"`
	Database   string          `json:"database"`
	Version    int             `json:"version"`
	State      string          `json:"state"`            // as in [Status]
	Problem    viewing.Message `json:"problem,omitzero"` // why nothing can be imported now, one sentence
	Hint       viewing.Message `json:"hint,omitzero"`    // what to do about that, if anything
	Films      int             `json:"films"`            // would be sent
	Episodes   int             `json:"episodes"`         // would be sent
	Held       map[string]int  `json:"held"`             // would wait for a person, by the reason
	Ignored    map[string]int  `json:"ignored"`          // would be kept for the record alone, by the reason
	Unresolved int             `json:"unresolved"`       // have no identifier that the service takes
	Earlier    int             `json:"earlier"`          // before the last one of their file, without a known time; held when they are asked for
	Recorded   int             `json:"recorded"`         // files whose last play this queue has recorded before; left out
	AtService  int             `json:"atService"`        // files whose last play the service has; left out
	Copies     int             `json:"copies"`           // files whose last play is another file's too; left out
	Before     int             `json:"before"`           // files left out by the date, or for want of a time
	Sample     []Found         `json:"sample"`           // the newest that would be sent
	HeldSample []Found         `json:"heldSample"`       // the newest that would be held or ignored, or are unresolved
}

// sampleSize bounds what a preview shows.
const sampleSize = 10

// NewPreview is that of an import of nothing.
func NewPreview() Preview {
	return Preview{Held: map[string]int{}, Ignored: map[string]int{}, Sample: []Found{}, HeldSample: []Found{}}
}

// Sends is how many viewings would be sent.
func (p Preview) Sends() int { return p.Films + p.Episodes }

// Plays is how many viewings would be handed over.
func (p Preview) Plays() int {
	n := p.Sends() + p.Unresolved
	for _, some := range []map[string]int{p.Held, p.Ignored} {
		for _, of := range some {
			n += of
		}
	}
	return n
}

// Count counts a viewing that would be handed over, in the words of the queue's
// rules.
func (p *Preview) Count(v viewing.Event, fates []Fate) {
	n, show := v.Count, &p.HeldSample
	for i, fate := range fates {
		switch {
		case fate.State == viewing.StateDropped:
			p.Ignored[fate.Reason] += n
		case fate.State == viewing.StateHeld && fate.Reason == viewing.ReasonUnresolved:
			p.Unresolved += n
		case fate.State == viewing.StateHeld:
			p.Held[fate.Reason] += n
		case v.Media[i].Type == viewing.Movie:
			p.Films += n
			show = &p.Sample
		default:
			p.Episodes += n
			show = &p.Sample
		}
	}
	if len(*show) < sampleSize {
		*show = append(*show, found(v, fates))
	}
}
