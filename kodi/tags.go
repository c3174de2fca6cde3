package kodi

import (
	"context"
	"errors"
	"strconv"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// addTagged adds tagged items to the watchlist and lists after a successful read. If the library
// has no tag tables, the status says so.
func (i *Importer) addTagged(ctx context.Context) error {
	if len(i.options.Tags) == 0 {
		return nil
	}
	var tags []string
	for _, to := range i.options.Tags {
		tags = append(tags, to.Tag)
	}
	found, err := i.library.ReadTagged(ctx, tags)
	shown := viewing.Say("noTags")
	if !errors.Is(err, library.ErrUnsupported) {
		if err != nil {
			return err
		}
		verdicts, tagged := rule.AddTagged(i.memory, i.options.Tags, found, chunkSize)
		for _, v := range verdicts {
			if err := i.commit(ctx, v); err != nil {
				return err
			}
		}
		shown = viewing.Say("tagged", "tagged", strconv.Itoa(tagged))
	}
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	i.status.Watchlist = shown
	return nil
}
