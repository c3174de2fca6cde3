package kodi

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/viewing"
)

// addTagged puts what has the tag on the watchlist, after a reading that went
// well. A library without tables of tags is reported and left alone.
func (i *Importer) addTagged(ctx context.Context) error {
	if i.o.WatchlistTag == "" {
		return nil
	}
	w, err := i.tagged(ctx)
	if errors.Is(err, library.ErrUnsupported) {
		if i.showTagged(viewing.Say("noTags")) {
			i.o.Logger.Info("this library has no tags", "source", i.source, "error", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range w.Verdicts(importChunk) {
		if err := i.commit(ctx, v, time.Now()); err != nil {
			return err
		}
	}
	i.showTagged(viewing.Say("tagged", "tagged", strconv.Itoa(w.Len())))
	return nil
}

// tagged compares what has the tag with what was handed over.
func (i *Importer) tagged(ctx context.Context) (*rule.Watchlist, error) {
	found, err := i.o.Library.ReadTagged(ctx, i.o.WatchlistTag)
	if err != nil {
		return nil, err
	}
	return rule.AddTagged(i.known, i.o.WatchlistTag, found), nil
}

// newTagged is what a scan finds for the watchlist.
func (i *Importer) newTagged(ctx context.Context) ([]scan.Tagged, error) {
	if i.o.WatchlistTag == "" {
		return nil, nil
	}
	w, err := i.tagged(ctx)
	if err != nil {
		return nil, err
	}
	return w.New(), nil
}

// showTagged shows what was found for the watchlist, and reports whether that
// is new.
func (i *Importer) showTagged(tagged viewing.Message) bool {
	i.show.Lock()
	defer i.show.Unlock()
	changed := !reflect.DeepEqual(i.status.Watchlist, tagged)
	i.status.Watchlist = tagged
	return changed
}
