package kodi

import (
	"time"

	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Outcome is the predicted state of one item of a viewing.
type Outcome struct {
	State  viewing.State     // pending, held or dropped
	Reason string            // reason code; "" for pending
	Steps  []viewing.Message // the decisions of the rules, as in an entry
}

// Preview describes what an import would submit. Its numbers count viewings, one
// for each episode of a file that holds several.
type Preview struct {
	Userdata   string          `json:"userdata"`
	Database   string          `json:"database"`
	Version    int             `json:"version"`
	State      string          `json:"state"`            // as in [Status]
	Problem    viewing.Message `json:"problem,omitzero"` // why nothing can be imported now
	Hint       viewing.Message `json:"hint,omitzero"`    // what to do about the problem
	Films      int             `json:"films"`            // viewings to send
	Episodes   int             `json:"episodes"`         // viewings to send
	Held       map[string]int  `json:"held"`             // viewings to hold, by reason code
	Ignored    map[string]int  `json:"ignored"`          // viewings to drop, by reason code
	Unresolved int             `json:"unresolved"`       // viewings without an identifier that the service accepts
	rule.LeftOut
	Unreadable int     `json:"unreadable,omitempty"` // NFO files that could not be read completely
	Sample     []Found `json:"sample"`               // the newest viewings to send
	HeldSample []Found `json:"heldSample"`           // the newest held, dropped or unresolved viewings
}

// Found is one viewing of a preview.
type Found struct {
	Media     []viewing.Media   `json:"media"`
	WatchedAt time.Time         `json:"watchedAt"` // UTC; noon if only the day is known
	DayOnly   bool              `json:"dayOnly,omitempty"`
	Class     viewing.Class     `json:"class"`
	Path      string            `json:"path"`
	Note      viewing.Message   `json:"note"`             // evidence from the library
	Reason    string            `json:"reason,omitempty"` // reason code if it would not be sent
	Steps     []viewing.Message `json:"steps,omitempty"`  // the decisions of the rules
}

// sampleSize bounds the samples of a preview.
const sampleSize = 10

// NewPreview returns an empty preview.
func NewPreview() Preview {
	return Preview{Held: map[string]int{}, Ignored: map[string]int{}, Sample: []Found{}, HeldSample: []Found{}}
}

// Sends returns how many viewings would be sent.
func (p Preview) Sends() int { return p.Films + p.Episodes }

// Plays returns how many viewings would be submitted.
func (p Preview) Plays() int {
	n := p.Sends() + p.Unresolved
	for _, some := range []map[string]int{p.Held, p.Ignored} {
		for _, of := range some {
			n += of
		}
	}
	return n
}

// count adds a viewing with the outcomes of its items.
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
