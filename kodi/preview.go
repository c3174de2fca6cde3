package kodi

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Preview is what an import would hand over. Its numbers count viewings, one
// for each episode of a file that holds several.
type Preview struct {
	Userdata   string         `json:"userdata"`
	Database   string         `json:"database"`
	Version    int            `json:"version"`
	State      string         `json:"state"`             // as in [Status]
	Problem    string         `json:"problem,omitempty"` // why nothing can be imported now, one sentence
	Hint       string         `json:"hint,omitempty"`    // what to do about that, if anything
	Films      int            `json:"films"`             // would be sent
	Episodes   int            `json:"episodes"`          // would be sent
	Held       map[string]int `json:"held"`              // would wait for a person, by the reason
	Unresolved int            `json:"unresolved"`        // have no identifier that the service takes
	Earlier    int            `json:"earlier"`           // before the last one of their file, without a known time; held when they are asked for
	Recorded   int            `json:"recorded"`          // files whose last play this queue has recorded before; left out
	AtService  int            `json:"atService"`         // files whose last play the service has; left out
	Copies     int            `json:"copies"`            // files whose last play is another file's too; left out
	Before     int            `json:"before"`            // files left out by the date, or for want of a time
	Sample     []Found        `json:"sample"`            // the newest that would be sent
	HeldSample []Found        `json:"heldSample"`        // the newest that would be held or are unresolved
}

// Import is how far an import has come.
type Import struct {
	Total int   `json:"total"` // events to hand over; 0 when there is no import
	Done  int   `json:"done"`  // of them are on disk
	At    int64 `json:"at"`    // when it began, UTC ms
}

// sampleSize bounds what a preview shows.
const sampleSize = 10

func newPreview() Preview {
	return Preview{Held: map[string]int{}, Sample: []Found{}, HeldSample: []Found{}}
}

// Sends is how many viewings would be sent.
func (p Preview) Sends() int { return p.Films + p.Episodes }

// Plays is how many viewings would be handed over.
func (p Preview) Plays() int {
	n := p.Sends() + p.Unresolved
	for _, held := range p.Held {
		n += held
	}
	return n
}

// tomorrow is the reason for which the queue holds what lies ahead of its clock.
const (
	tomorrow  = "future"
	tolerance = 5 * time.Minute // as the queue has it
)

// count counts a planned play in the words of the queue's rules.
func (p *plan) count(f *finding) {
	sent := false
	for _, m := range f.media {
		switch n := max(f.times, 1); {
		case f.when.Time().After(p.r.now.Add(tolerance)):
			p.Held[tomorrow] += n
		case f.class != viewing.ClassImport:
			p.Held[string(f.class)] += n
		case !m.Identified():
			p.Unresolved += n
		case m.Type == viewing.Movie:
			p.Films, sent = p.Films+n, true
		default:
			p.Episodes, sent = p.Episodes+n, true
		}
	}
	show := &p.HeldSample
	if sent {
		show = &p.Sample
	}
	if len(*show) < sampleSize {
		v := f.viewing()
		*show = append(*show, Found{v.Media, v.WatchedAt.Time(), v.Class, v.Origin.Path, v.Origin.Note, ""})
	}
}
