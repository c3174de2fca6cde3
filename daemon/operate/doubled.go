package operate

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	v1 "github.com/filmspool/filmspool/queue/tracker/v1"
	"github.com/filmspool/filmspool/queue/viewing"
)

// newestFew is how many viewings Doubled looks at. The count ends some viewings after
// the cause does.
const newestFew = 10

// Doubled counts the newest viewings that stand in an account's history twice. One record
// has the time that Filmspool told. The other has another time of the same playback, and
// no entry explains it. Doubled only reads.
func (op Operator) Doubled(ctx context.Context, account string, service *v1.Client) (n int64, err error) {
	ours, err := op.Store.Entries(ctx, entry.Filter{Account: account, State: viewing.StateDelivered, Kind: viewing.KindViewing, Limit: newestFew})
	shown := map[viewing.MediaType][]tracker.HistoryItem{}
	for _, e := range ours {
		if e.Media == nil { // damaged
			continue
		}
		if _, read := shown[e.Media.Type]; !read {
			shown[e.Media.Type], err = service.NewestHistory(ctx, e.Media.Type)
		}
		told, toldErr := op.Store.Told(ctx, e.ID)
		kin, kinErr := op.Store.Kin(ctx, e.ID)
		if err = errors.Join(err, toldErr, kinErr); err != nil {
			break
		}
		if twice(e, kin.Runtime, shown[e.Media.Type], told) {
			n++
		}
	}
	return n, err
}

// twice reports whether a history shows an entry's own time and a stranger's. told are
// the times that other entries of ours explain.
func twice(e queue.Entry, runtime time.Duration, history []tracker.HistoryItem, told []time.Time) bool {
	end := playback.End{At: e.WatchedAt.Instant, Type: e.Media.Type, Runtime: runtime}
	own, strange := false, false
	shown, _ := doubt.Times(history, *e.Media, end.At.Time())
	for _, t := range shown {
		is := func(other time.Time) bool { return doubt.Minute.Same(t, other) }
		own = own || is(end.At.Time())
		strange = strange || !is(end.At.Time()) && !slices.ContainsFunc(told, is) && playback.Shown(t, false, end)
	}
	return own && strange && end.At.Precision != viewing.Day
}
