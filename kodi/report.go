package kodi

import (
	"context"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Report is what a scan finds now.
type Report struct {
	Userdata   string  `json:"userdata"`
	Database   string  `json:"database"`
	Version    int     `json:"version"`
	State      string  `json:"state"`             // as in [Status]
	Problem    string  `json:"problem,omitempty"` // why it cannot be read now, one sentence
	Hint       string  `json:"hint,omitempty"`    // what to do about that, if anything
	Films      int     `json:"films"`
	Episodes   int     `json:"episodes"`
	Watched    int     `json:"watched"`    // files with a play count
	New        []Found `json:"new"`        // would be sent
	Held       []Found `json:"held"`       // would wait for a person
	Ignored    []Found `json:"ignored"`    // would be kept for the record alone
	Unresolved []Found `json:"unresolved"` // have no identifier that the service takes
	// Beside is what is new beside viewings; nil when nothing is asked for.
	Beside *rule.Beside `json:"beside,omitempty"`
	// Reporters are add-ons of this Kodi that report to the same service: what
	// they report would be there twice.
	Reporters []string `json:"reporters,omitempty"`
}

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

// Scan reads the library once and tells what would be handed over; it changes
// nothing. At first contact that is nothing at all. When the library cannot
// be read, the report says so in State and the error tells why.
func (i *Importer) Scan(ctx context.Context) (Report, error) {
	i.work.Lock()
	defer i.work.Unlock()
	rep := Report{Userdata: i.path, New: []Found{}, Held: []Found{}, Ignored: []Found{}, Unresolved: []Found{}}
	v, snap, err := i.look(ctx, i.changes)
	if err != nil {
		c := complain(err)
		rep.State, rep.Problem, rep.Hint = c.state, c.summary, c.hint
		return rep, err
	}
	rep.Database, rep.Version, rep.State, rep.Watched = snap.Path, snap.Version, StateOK, v.Meta.Watched
	if v.Meta.Guard.On {
		rep.State = StateGuarded
	}
	rep.Films, rep.Episodes = countItems(snap)
	for _, w := range v.Viewings {
		rep.add(w, i.fates(w, time.Now()))
	}
	rep.Reporters = i.reporters(ctx)
	if rep.Beside, err = i.beside(ctx, snap); err != nil {
		c := complain(err)
		rep.State, rep.Problem, rep.Hint = c.state, c.summary, c.hint
	}
	return rep, err
}

// look decides about a reading without keeping anything.
func (i *Importer) look(ctx context.Context, take func(context.Context) (snapshot.Snapshot, error)) (rule.Verdict, snapshot.Snapshot, error) {
	if err := i.load(ctx); err != nil {
		return rule.Verdict{}, snapshot.Snapshot{}, err
	}
	snap, err := take(ctx)
	if err != nil {
		return rule.Verdict{}, snap, err
	}
	snap.Written = i.written(snap)
	i.findAddOns(ctx)
	v, err := i.decide(snap, time.Now())
	return v, snap, err
}

// add takes in a viewing. One of which anything would be sent counts as new;
// a further sighting is never sent.
func (r *Report) add(v viewing.Viewing, fates []Fate) {
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

// countItems counts the films and episodes of a library, each once.
func countItems(snap snapshot.Snapshot) (films, episodes int) {
	all := [2][]int64{nil, make([]int64, 0, len(snap.Files))} // numbers of films and of episodes
	for _, f := range snap.Files {
		for _, i := range f.Items {
			kind := 0
			if i.Media.Type != viewing.Movie {
				kind = 1
			}
			if !i.Extra {
				all[kind] = append(all[kind], i.KodiID)
			}
		}
	}
	for kind := range all {
		slices.Sort(all[kind])
		all[kind] = slices.Compact(all[kind])
	}
	return len(all[0]), len(all[1])
}
