package kodi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/playlist"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/kodi/watch"
	"github.com/filmspool/filmspool/queue/viewing"
)

// grant hands over what is new beside viewings, after a reading that went
// well. A library without such tables is told of and left alone.
func (i *Importer) grant(ctx context.Context, snap snapshot.Snapshot) error {
	if !i.o.Wishes.any() || i.o.ReadWishes == nil {
		return nil
	}
	a, err := i.askLibrary(ctx, snap)
	if errors.Is(err, library.ErrUnsupported) {
		i.o.Logger.Info("this library has no tags or sets", "source", i.source, "error", err)
		i.tellBeside("this library has no tags and sets that can be read")
		return nil
	}
	if err != nil {
		return err
	}
	g := grantAll(i.known, a.wishes)
	if err := i.commitWishes(ctx, g); err != nil {
		return err
	}
	i.tellBeside(a.summary())
	return nil
}

// askLibrary reads what the library wishes for.
func (i *Importer) askLibrary(ctx context.Context, snap snapshot.Snapshot) (*asked, error) {
	w := i.o.Wishes
	var found snapshot.Wishes
	var lists []playlist.Playlist
	var err error
	want := snapshot.Want{Tag: w.Tag, Sets: w.Sets}
	if w.Playlists {
		if lists, err = playlist.Read(playlist.Folder(i.o.Userdata)); err != nil {
			i.o.Logger.Warn("playlists were not read whole", "source", i.source, "error", err)
		}
		want.Films = slices.ContainsFunc(lists, func(p playlist.Playlist) bool { return len(p.Entries) > 0 })
	}
	if want != (snapshot.Want{}) {
		if found, err = i.o.ReadWishes(ctx, want); err != nil {
			return nil, err
		}
	}
	return w.ask(found, lists, snap), nil
}

// commitWishes hands over what is new, in chunks that are durable each
// together with what is known of it.
func (i *Importer) commitWishes(ctx context.Context, g *granting) error {
	if len(g.fresh)+len(g.amendments) == 0 {
		return nil
	}
	if err := i.commitPart(ctx, g, nil); err != nil {
		return err
	}
	for part := range slices.Chunk(g.fresh, importChunk) {
		if err := i.commitPart(ctx, g, part); err != nil {
			return err
		}
	}
	return nil
}

// commitPart commits some wishes or, without any, the corrections.
func (i *Importer) commitPart(ctx context.Context, g *granting, part []wish) error {
	b := viewing.Batch{Source: i.source, State: map[string][]byte{}}
	changed := map[string]*granted{}
	if part == nil {
		b.Amendments = g.amendments
		maps.Copy(changed, g.changed)
	}
	for _, w := range part {
		b.Viewings = append(b.Viewings, g.viewing(w))
		x := g.grantedAs(w)
		changed[w.slot] = &x
	}
	if len(b.Viewings)+len(b.Amendments) == 0 {
		return nil
	}
	for slot, x := range changed {
		b.State[wishPrefix+slot] = nil
		if x != nil {
			b.State[wishPrefix+slot], _ = json.Marshal(x) // plain strings
		}
	}
	text, err := json.Marshal(i.known.meta) // the names of events begin with its id
	if err != nil {
		return fmt.Errorf("keep what is known of the library: %w", err)
	}
	b.State[metaKey] = text
	if _, err := i.o.Sink.Commit(ctx, b); err != nil {
		i.known = nil // it may have been kept all the same: look
		return fmt.Errorf("%w: commit wishes: %w", errStorage, err)
	}
	for slot, x := range changed {
		if delete(i.known.wishes, slot); x != nil {
			i.known.wishes[slot] = *x
		}
	}
	return nil
}

// beside is what a scan finds beside viewings; nil when nothing is asked for.
func (i *Importer) beside(ctx context.Context, snap snapshot.Snapshot) (*Beside, error) {
	if !i.o.Wishes.any() || i.o.ReadWishes == nil {
		return nil, nil
	}
	a, err := i.askLibrary(ctx, snap)
	if err != nil {
		return nil, err
	}
	return a.report(grantAll(i.known, a.wishes)), nil
}

// summary is what there is beside viewings, a clause.
func (a *asked) summary() string {
	tagged := 0
	for _, w := range a.wishes {
		if w.scope == toWatchlist {
			tagged++
		}
	}
	said := fmt.Sprintf("%d tagged for the watchlist, %d sets and playlists", tagged, len(a.lists))
	if n := len(a.smart); n > 0 {
		said += fmt.Sprintf(", %d smart playlists not evaluated", n)
	}
	if n := len(a.unread); n > 0 {
		said += fmt.Sprintf(", %d playlists without a list: filmspool kodi scan", n)
	}
	return said
}

// tellBeside shows what was found beside viewings.
func (i *Importer) tellBeside(said string) {
	i.show.Lock()
	defer i.show.Unlock()
	i.status.Beside = said
}

// stamp changes with what readings depend on beside the library: Kodi's
// settings and, when they are asked for, its playlists.
func (o Options) stamp() string {
	stamp := stampOf(o.Userdata)
	if o.Wishes.Playlists {
		stamp += "\n" + playlist.Stamp(playlist.Folder(o.Userdata))
	}
	return stamp
}

// watchPlaylists watches the folder of playlists.
func (o Options) watchPlaylists(ctx context.Context, settled func(context.Context)) error {
	return watch.Run(ctx, watch.Options{
		Dir: playlist.Folder(o.Userdata), Match: isPlaylist, Logger: o.Logger,
		Quiet: o.Quiet, Ceiling: o.Ceiling, Poll: o.Poll,
	}, settled)
}

func isPlaylist(name string) bool {
	return slices.Contains([]string{".m3u", ".m3u8", ".xsp"}, strings.ToLower(filepath.Ext(name)))
}
