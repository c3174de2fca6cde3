package scan

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Report is what a scan finds now.
type Report struct {
	Userdata   string          `json:"userdata"`
	Database   string          `json:"database"`
	Version    int             `json:"version"`
	State      string          `json:"state"`            // as in [Status]
	Problem    viewing.Message `json:"problem,omitzero"` // why it cannot be read now, one sentence
	Hint       viewing.Message `json:"hint,omitzero"`    // what to do about that, if anything
	Films      int             `json:"films"`
	Episodes   int             `json:"episodes"`
	Watched    int             `json:"watched"`    // files with a play count
	New        []Found         `json:"new"`        // would be sent
	Held       []Found         `json:"held"`       // would wait for a person
	Ignored    []Found         `json:"ignored"`    // would be kept for the record alone
	Unresolved []Found         `json:"unresolved"` // have no identifier that the service takes
	// Announcements is whether Kodi is heard announce what it plays.
	Announcements Hearing  `json:"announcements"`
	Watchlist     []Tagged `json:"watchlist,omitempty"` // has the tag, and would be put on the watchlist
	// Reporters are add-ons of this Kodi that report to the same service: what
	// they report would be there twice.
	Reporters []string `json:"reporters,omitempty"`
}

// Hearing is whether a Kodi is heard announce what it plays.
type Hearing string

// The states of hearing.
const (
	Off    Hearing = "off"    // turned off, or the library is no Kodi's of this machine
	Silent Hearing = "silent" // no Kodi has announced anything since it was connected to, if it was
	Heard  Hearing = "heard"
)

// Found is one viewing that a scan finds.
type Found struct {
	Media     []viewing.Media `json:"media"`
	WatchedAt time.Time       `json:"watchedAt"` // UTC
	Class     viewing.Class   `json:"class"`
	Path      string          `json:"path"`
	Note      string          `json:"note"` // how the verdict came about
	SameAs    string          `json:"sameAs,omitempty"`
	Reason    string          `json:"reason,omitempty"` // of what would not be sent: why, one word
	Why       string          `json:"why,omitempty"`    // the same, one sentence
}

// found is what a preview shows of a viewing: with why it would not be sent,
// where the viewing itself does not say.
func found(v viewing.Event, fates []Fate) Found {
	f := Found{
		Media: v.Media, WatchedAt: v.WatchedAt.Time(), Class: v.Class, Path: v.Origin.Path, Note: v.Origin.Note, SameAs: v.SameAs,
	}
	for _, fate := range fates {
		if fate.State != viewing.StatePending {
			f.Reason, f.Why = fate.Reason, fate.Why
			break
		}
	}
	return f
}

// Add takes in a viewing. One of which anything would be sent counts as new;
// a further sighting is never sent.
func (r *Report) Add(v viewing.Event, fates []Fate) {
	f, left := found(v, fates), 0
	sent, nameless := false, false
	for i, fate := range fates {
		if fate.State == viewing.StateDropped {
			left++
			continue
		}
		sent = sent || fate.State == viewing.StatePending && v.SameAs == ""
		nameless = nameless || !v.Media[i].Identified()
	}
	switch {
	case left == len(fates):
		r.Ignored = append(r.Ignored, f)
	case nameless:
		r.Unresolved = append(r.Unresolved, f)
	case sent:
		r.New = append(r.New, f)
	default:
		r.Held = append(r.Held, f)
	}
}
