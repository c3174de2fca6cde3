package kodi

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/playlist"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/kodi/snapshot"
)

// grant hands over what is new beside viewings, after a reading that went
// well. A library without such tables is told of and left alone.
func (i *Importer) grant(ctx context.Context, snap snapshot.Snapshot) error {
	if !i.o.Wishes.Any() {
		return nil
	}
	g, err := i.grants(ctx, snap)
	if errors.Is(err, library.ErrUnsupported) {
		if i.tellBeside("this library has no tags and sets that can be read") {
			i.o.Logger.Info("this library has no tags or sets", "source", i.source, "error", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range g.Verdicts(importChunk) {
		if err := i.commit(ctx, v, time.Now()); err != nil {
			return err
		}
	}
	i.tellBeside(g.Summary())
	return nil
}

// grants compares what the library wishes for with what was handed over.
func (i *Importer) grants(ctx context.Context, snap snapshot.Snapshot) (*rule.Grants, error) {
	w := i.o.Wishes
	var found snapshot.Wishes
	var lists []playlist.Playlist
	var err error
	want := snapshot.Want{Tag: w.Tag, Sets: w.Sets}
	if w.Playlists {
		if lists, err = playlist.Read(playlist.Folder(i.path)); err != nil {
			i.o.Logger.Warn("playlists were not read whole", "source", i.source, "error", err)
		}
		want.Films = slices.ContainsFunc(lists, func(p playlist.Playlist) bool { return len(p.Entries) > 0 })
	}
	if want != (snapshot.Want{}) {
		if found, err = i.o.Library.ReadWishes(ctx, want); err != nil {
			return nil, err
		}
	}
	return w.Grant(i.known, found, located(lists, snap), snap), nil
}

// located finds the entries of playlists among the files of a reading.
func located(lists []playlist.Playlist, snap snapshot.Snapshot) []rule.Playlist {
	if len(lists) == 0 {
		return nil
	}
	paths := make([]string, len(snap.Files))
	for n, f := range snap.Files {
		paths[n] = f.Path
	}
	shelf := playlist.NewShelf(paths)
	all := make([]rule.Playlist, len(lists))
	for n, p := range lists {
		all[n] = rule.Playlist{Name: p.Name, Smart: p.Smart, Problem: p.Problem}
		for _, entry := range p.Entries {
			e := rule.Entry{Shown: playlist.Shown(entry), File: -1}
			if file, ok := shelf.Find(p.File, entry); ok {
				e.File = file
			}
			all[n].Entries = append(all[n].Entries, e)
		}
	}
	return all
}

// beside is what a scan finds beside viewings; nil when nothing is asked for.
func (i *Importer) beside(ctx context.Context, snap snapshot.Snapshot) (*scan.Beside, error) {
	if !i.o.Wishes.Any() {
		return nil, nil
	}
	g, err := i.grants(ctx, snap)
	if err != nil {
		return nil, err
	}
	return g.Report(), nil
}

// tellBeside shows what was found beside viewings.
func (i *Importer) tellBeside(said string) (news bool) {
	i.show.Lock()
	defer i.show.Unlock()
	news = i.status.Beside != said
	i.status.Beside = said
	return news
}
