package replay

import (
	"context"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
)

// checkPatience bounds how long the number of an entry is checked.
const checkPatience = 20 * time.Second

// contradicted checks with TMDB, where it is on, the number by which a source knows an
// item, once before the entry is first sent. It holds the entry where something
// contradicts. Where TMDB cannot be asked, and what a person has decided about, leaves
// as it is.
func (l *Loop) contradicted(ctx, write context.Context, e queue.Entry) (held bool, err error) {
	if l.others == nil || e.Media == nil || e.Attempts > 0 || e.Touched != entry.Untouched || e.Correction != 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	why := l.others().Contradiction(ctx, *e.Media)
	if why == "" {
		return false, nil
	}
	return l.outbox.Contradict(write, e, text("TMDB was asked. "+why))
}
