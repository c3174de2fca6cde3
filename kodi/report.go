package kodi

import (
	"context"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Scan reads the library once and tells what would be handed over; it changes
// nothing. At first contact that is nothing at all. When the library cannot
// be read, the report says so in State and the error tells why.
func (i *Importer) Scan(ctx context.Context) (rep scan.Report, err error) {
	i.work.Lock()
	defer i.work.Unlock()
	defer contain(&err)
	rep = scan.Report{Userdata: i.path, Announcements: i.hearing(), New: []scan.Found{}, Held: []scan.Found{}, Ignored: []scan.Found{}, Unresolved: []scan.Found{}}
	v, snap, err := i.look(ctx, i.changes)
	if err != nil {
		c := complain(err)
		rep.State, rep.Problem, rep.Hint = c.state, c.problem(), c.advice()
		return rep, err
	}
	rep.Database, rep.Version, rep.State, rep.Watched = snap.Path, snap.Version, StateOK, v.Meta.Watched
	if v.Meta.Guard.On {
		rep.State = StateGuarded
	}
	rep.Films, rep.Episodes = countItems(snap)
	for _, w := range v.Viewings {
		rep.Add(w, i.fates(w, time.Now()))
	}
	rep.Reporters = i.addOns.Reporters
	if rep.Watchlist, err = i.newTagged(ctx); err != nil {
		c := complain(err)
		rep.State, rep.Problem, rep.Hint = c.state, c.problem(), c.advice()
	}
	return rep, err
}

// look decides about a reading without keeping anything.
func (i *Importer) look(ctx context.Context, take func(context.Context) (library.Snapshot, error)) (rule.Verdict, library.Snapshot, error) {
	if err := i.load(ctx); err != nil {
		return rule.Verdict{}, library.Snapshot{}, err
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

// countItems counts the films and episodes of a library, each once.
func countItems(snap library.Snapshot) (films, episodes int) {
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
