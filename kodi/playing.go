package kodi

import (
	"context"
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// followPlayback calls [Options].Playing whenever Kodi plays another item, until ctx ends.
func (i *Importer) followPlayback(ctx context.Context) {
	for i.options.Playing != nil {
		select {
		case <-ctx.Done():
			i.options.Playing(i.source, viewing.Media{}, time.Time{})
			return
		case <-i.listener.Changed():
		}
		kind, id, began := i.listener.Playing()
		if began.IsZero() {
			began = time.Now()
		}
		m, err := i.readItem(ctx, kind, id)
		if err != nil {
			i.options.Logger.Debug("what Kodi plays is not known", "source", i.source, "error", err)
		}
		i.options.Playing(i.source, m, began)
	}
}

// readItem reads an item of the library by Kodi's id. It returns zero media if the library has no
// such item or a rule drops it.
func (i *Importer) readItem(ctx context.Context, kind viewing.MediaType, id int64) (m viewing.Media, err error) {
	defer recoverPanic(&err)
	if id <= 0 {
		return m, nil
	}
	wanted := func(one library.Item) bool { return one.KodiID == id && one.Media.Type == kind && !one.Extra }
	holds := func(f library.File) bool { return slices.ContainsFunc(f.Items, wanted) }
	snap, err := i.library.Read(ctx, holds)
	n := slices.IndexFunc(snap.Files, holds)
	if err != nil || n < 0 {
		return m, err
	}
	f, now := snap.Files[n], time.Now()
	plays := f.Items[slices.IndexFunc(f.Items, wanted)].Media
	v := viewing.Event{
		Kind: viewing.KindViewing, Media: []viewing.Media{plays}, WatchedAt: viewing.At(now), Count: 1,
		Class: viewing.ClassLive, Origin: rule.Origin(f),
	}
	if i.options.Account.Predict(i.source, v, plays, now).State != viewing.StateDropped {
		m = plays
	}
	return m, nil
}
