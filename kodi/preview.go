package kodi

import (
	"time"

	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Outcome is what would become of one item of a viewing.
type Outcome struct {
	State  viewing.State     // pending, held or dropped
	Reason string            // why, one word; "" for pending
	Steps  []viewing.Message // how the rules came to that, as steps of an entry
}

// Preview is what an import would hand over. Its numbers count viewings, one
// for each episode of a file that holds several.
type Preview struct {
	Userdata   string          `json:"userdata"`
	Database   string          `json:"database"`
	Version    int             `json:"version"`
	State      string          `json:"state"`            // as in [Status]
	Problem    viewing.Message `json:"problem,omitzero"` // why nothing can be imported now
	Hint       viewing.Message `json:"hint,omitzero"`    // what to do about that, if anything
	Films      int             `json:"films"`            // would be sent
	Episodes   int             `json:"episodes"`         // would be sent
	Held       map[string]int  `json:"held"`             // would wait for a person, by the reason
	Ignored    map[string]int  `json:"ignored"`          // would be kept for the record alone, by the reason
	Unresolved int             `json:"unresolved"`       // have no identifier that the service takes
	rule.LeftOut
	Unreadable int     `json:"unreadable,omitempty"` // NFO files that could not be read whole
	Sample     []Found `json:"sample"`               // the newest that would be sent
	HeldSample []Found `json:"heldSample"`           // the newest that would be held or ignored, or are unresolved
}

// Found is one viewing of a preview.
type Found struct {
	Media     []viewing.Media   `json:"media"`
	WatchedAt time.Time         `json:"watchedAt"` // UTC; noon where the day alone is known
	DayOnly   bool              `json:"dayOnly,omitempty"`
	Class     viewing.Class     `json:"class"`
	Path      string            `json:"path"`
	Note      viewing.Message   `json:"note"`             // what the library shows
	Reason    string            `json:"reason,omitempty"` // why it would not be sent, one word
	Steps     []viewing.Message `json:"steps,omitempty"`  // the same, as steps of an entry
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

// count counts a viewing, given the outcome of each of its items.
func (p *Preview) count(v viewing.Event, outcomes []Outcome) {
	f := Found{
		Media: v.Media, WatchedAt: v.WatchedAt.Time(), DayOnly: v.WatchedAt.Precision == viewing.Day,
		Class: v.Class, Path: v.Origin.Path, Note: v.Origin.Note,
	}
	sample := &p.HeldSample
	for i, o := range outcomes {
		if o.State != viewing.StatePending && f.Reason == "" {
			f.Reason, f.Steps = o.Reason, o.Steps
		}
		switch {
		case o.State == viewing.StateDropped:
			p.Ignored[o.Reason]++
		case o.State == viewing.StateHeld && o.Reason == viewing.ReasonUnresolved:
			p.Unresolved++
		case o.State == viewing.StateHeld:
			p.Held[o.Reason]++
		case v.Media[i].Type == viewing.Movie:
			p.Films++
			sample = &p.Sample
		default:
			p.Episodes++
			sample = &p.Sample
		}
	}
	if len(*sample) < sampleSize {
		*sample = append(*sample, f)
	}
}
