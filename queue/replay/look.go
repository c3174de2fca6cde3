package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// look is one look at what the service has, for the entries in doubt that are
// due. Of a run it uses only what does not change.
type look struct {
	*run
	service Service
	reader  Reader // nil: it cannot be read
	ways    *ways
	all     []queue.Doubt // also those that are not due: they may claim a record
	due     func(queue.Doubt) bool
	// early are those, by entry, of which this look can only prove arrival:
	// that something is missing so soon says nothing.
	early    map[int64]bool
	departed map[int64]int // by entry: how many had begun to leave when it was first seen in doubt
	owner    string        // whose key is used; "" when unknown
}

// do looks. The verdict is of the question whether the service takes requests
// at all; the error is the outbox's.
func (l *look) do(ctx context.Context) (tracker.Verdict, error) {
	var err error
	if l.ways, err = waysOf(ctx, l.outbox, l.account); err != nil {
		return tracker.Verdict{}, err
	}
	if v := l.knock(ctx); v.Fate != tracker.Delivered {
		return v, l.ways.keep(l.spans.write)
	}
	for _, do := range []func(context.Context) error{l.lists, l.items, l.wishes, l.films, l.episodes} {
		if err = do(ctx); err != nil || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		err = nil // called off; what was not written is looked for again
	}
	if kept := l.ways.keep(l.spans.write); err == nil {
		err = kept
	}
	return tracker.Verdict{Fate: tracker.Delivered}, err
}

// knock asks whether the service takes requests, and whose key it is.
func (l *look) knock(ctx context.Context) tracker.Verdict {
	if l.reader == nil || !l.ways.may(supportMe) {
		return l.service.Probe(ctx)
	}
	user, err := l.reader.Me(ctx)
	if l.ways.note(supportMe, err) {
		return l.service.Probe(ctx)
	}
	if v, ok := tracker.VerdictOf(err); ok {
		return v
	}
	l.owner = user.ID
	if user.ID != "" && l.ways.account.Owner != user.ID {
		l.ways.change(func(a *queue.Account) { a.Owner = user.ID })
	}
	return tracker.Verdict{Fate: tracker.Delivered}
}

// stranger reports whether a request was sent to another place, or with
// another person's key.
func (l *look) stranger(d queue.Doubt) bool {
	return d.SentAt.Before(l.ways.account.MovedAt) || l.foreign(d.Owner)
}

func (l *look) foreign(owner string) bool { return owner != "" && l.owner != "" && owner != l.owner }

// pick lists the doubts of one kind that are due.
func (l *look) pick(fits func(queue.Entry) bool) (due []queue.Doubt) {
	for _, d := range l.all {
		if l.due(d) && fits(d.Entry) {
			due = append(due, d)
		}
	}
	return due
}

func (l *look) films(ctx context.Context) error    { return l.viewings(ctx, viewing.Movie) }
func (l *look) episodes(ctx context.Context) error { return l.viewings(ctx, viewing.Episode) }

// strange is why nothing is read about what was sent to another place or
// with another person's key.
const strange = "the key or the address is not the one that it was sent with"

// sortOut settles the doubts that need no reading, and gives the others.
func (l *look) sortOut(due []queue.Doubt) (open []queue.Doubt, err error) {
	for _, d := range due {
		switch {
		case l.stranger(d):
			err = l.unsettled(d, strange, nil, d.Taken)
		case l.resends(d, time.Now()):
			err = l.sameKey(d)
		default:
			open = append(open, d)
		}
		if err != nil {
			return nil, err
		}
	}
	return open, nil
}

// viewings looks for the viewings of one type.
func (l *look) viewings(ctx context.Context, t viewing.MediaType) error {
	due := l.pick(func(e queue.Entry) bool { return e.Kind == viewing.KindViewing && e.Media.Type == t })
	open, err := l.sortOut(due)
	if err != nil || len(open) == 0 {
		return err
	}
	s, err := l.survey(ctx, t, open)
	if err != nil {
		return err
	}
	for _, d := range open {
		if ctx.Err() != nil {
			return nil
		}
		if err := l.judge(d, s); err != nil {
			return err
		}
	}
	return nil
}

// judge decides about one viewing.
func (l *look) judge(d queue.Doubt, s *survey) error {
	if !s.readable {
		return l.unsettled(d, "the service's records cannot be read", nil, d.Taken)
	}
	readings, kept := s.readings(d)
	e := doubt.Evidence{
		Watched: d.Entry.WatchedAt.Time(), LastByte: d.At, Keeps: doubt.Precision(l.ways.account.Keeps),
		Taken: d.Taken + 1, Readings: readings, Claimed: s.claims[d.Entry.Media.Key()], Waits: l.waits,
	}
	for _, other := range l.all {
		if other.Entry.ID == d.Entry.ID || other.Entry.Media == nil || other.Entry.Media.Key() != d.Entry.Media.Key() ||
			other.Entry.Kind != viewing.KindViewing {
			continue
		}
		if at := other.Entry.WatchedAt.Time(); other.Entry.ID < d.Entry.ID {
			e.Elder = append(e.Elder, at)
		} else {
			e.Younger = append(e.Younger, at)
		}
	}
	decision := doubt.Decide(e)
	said := "Read back: " + decision.Sentence + "."
	switch {
	case decision.Fate == doubt.Delivered:
		return l.resolve(queue.Resolution{Doubt: d, State: viewing.StateDelivered, Reason: said})
	case decision.Fate == doubt.Again:
		return l.resolve(queue.Resolution{Doubt: d, State: viewing.StatePending, Reason: said + " It is sent again."})
	case decision.Final:
		return l.unsettled(d, decision.Sentence, kept, e.Taken)
	default:
		at := readings[len(readings)-1].At.Add(decision.Wait)
		return l.resolve(queue.Resolution{Doubt: d, State: viewing.StateInDoubt, Reason: said, LookAt: at, Readings: kept, Taken: e.Taken})
	}
}

// resolve writes what was found. An entry that has changed meanwhile is
// another's business. An early look leaves everything as it was, unless it has
// found a record.
func (l *look) resolve(m queue.Resolution) error {
	if l.early[m.Doubt.Entry.ID] && m.State != viewing.StateDelivered {
		return nil
	}
	err := l.doubts.Resolve(l.spans.write, m)
	if gone(err) {
		l.log.Debug("entry changed while it was looked for", "entry", m.Doubt.Entry.ID)
		return nil
	}
	if err == nil && m.State != viewing.StateInDoubt {
		l.log.Info("doubt settled", "entry", m.Doubt.Entry.ID, "state", string(m.State))
	}
	return err
}

// lists looks for lists whose creation is in doubt.
func (l *look) lists(ctx context.Context) error {
	due := l.pick(func(e queue.Entry) bool { return e.Kind == viewing.KindList })
	open, err := l.sortOut(due)
	if err != nil || len(open) == 0 {
		return err
	}
	if l.reader == nil || !l.ways.may(supportLists) {
		return l.unreadable(open)
	}
	found, complete, err := l.reader.Lists(ctx)
	switch {
	case ctx.Err() != nil:
		return nil
	case l.ways.note(supportLists, err):
		return l.unreadable(open)
	}
	for _, d := range open {
		if err := l.judgeList(d, open, found, complete && err == nil); err != nil {
			return err
		}
	}
	return nil
}

// items has the setting decide about items of lists in doubt: no endpoint shows
// what is on a list, and whether an item that is sent twice is there twice is
// the service's secret.
func (l *look) items(context.Context) error {
	due := l.pick(func(e queue.Entry) bool { return e.Kind == viewing.KindListItem })
	open, err := l.sortOut(due)
	if err != nil {
		return err
	}
	for _, d := range open {
		if err := l.unsettled(d, "the service does not show what is on its lists", nil, d.Taken); err != nil {
			return err
		}
	}
	return nil
}

// unreadable has the setting decide about doubts that cannot be read back.
func (l *look) unreadable(open []queue.Doubt) error {
	for _, d := range open {
		if err := l.unsettled(d, "the service's records cannot be read", nil, d.Taken); err != nil {
			return err
		}
	}
	return nil
}

// judgeList decides about one list: it is ours only if it was not there before
// and is all that we asked for.
func (l *look) judgeList(d queue.Doubt, open []queue.Doubt, found []tracker.RemoteList, complete bool) error {
	ours := slices.DeleteFunc(slices.Clone(found), func(r tracker.RemoteList) bool {
		return r.ID == "" || !sameList(*d.Entry.List, r) || slices.Contains(d.Before, r.ID)
	})
	twins := 0
	for _, other := range l.all {
		if other.Entry.List != nil && sameList(*d.Entry.List, remoteOf(*other.Entry.List)) {
			twins++
		}
	}
	switch {
	case d.Before == nil:
		return l.unsettled(d, "the service's lists were not read before this one was sent, so none can be told to be it", nil, d.Taken+1)
	case !complete && d.Taken < 5:
		return l.resolve(queue.Resolution{
			Doubt: d, State: viewing.StateInDoubt, Reason: "Read back: the service's lists could not be read whole.",
			LookAt: time.Now().Add(doubt.FirstLook), Taken: d.Taken + 1,
		})
	case len(ours) == 1 && twins == 1:
		return l.resolve(queue.Resolution{
			Doubt: d, State: viewing.StateDelivered, RemoteID: ours[0].ID,
			Reason: "Read back: the service has this list, and did not before it was sent.",
		})
	case len(ours) == 0:
		return l.unsettled(d, "the service shows no list like this one that was not there before", nil, d.Taken+1)
	default:
		return l.unsettled(d, fmt.Sprintf("the service shows %d such lists for %d in doubt", len(ours), twins), nil, d.Taken+1)
	}
}

// remoteOf is a list as the service would show it.
func remoteOf(l viewing.List) tracker.RemoteList {
	r := tracker.RemoteList{Name: l.Name, Description: l.Description, Visibility: l.Visibility}
	if r.Visibility == "" {
		r.Visibility = "PRIVATE"
	}
	return r
}

func sameList(l viewing.List, r tracker.RemoteList) bool {
	r.ID = ""
	return remoteOf(l) == r
}

// wishes repeats watchlist wishes in doubt: to wish twice is to wish once,
// unless the item was watched since and so left the list.
func (l *look) wishes(ctx context.Context) error {
	all := l.pick(func(e queue.Entry) bool { return e.Kind == viewing.KindWatchlist })
	due, err := l.sortOut(all)
	if err != nil || len(due) == 0 {
		return err
	}
	known := l.statuses(ctx, due)
	for _, d := range due {
		if ctx.Err() != nil {
			return nil
		}
		if err := l.judgeWish(ctx, d, known[d.Entry.Media.Key()]); err != nil {
			return err
		}
	}
	return nil
}

// maxWishes bounds how often a wish is repeated by itself.
const maxWishes = 8

func (l *look) judgeWish(ctx context.Context, d queue.Doubt, s tracker.ItemStatus) error {
	watched, err := l.doubts.WatchedSince(ctx, l.account, *d.Entry.Media, d.Entry.CreatedAt)
	if err != nil {
		return err
	}
	// Whose clock is right nobody knows: a day off is near enough to ask.
	watched = watched || s.WatchedAt.After(d.Entry.CreatedAt.Add(-24*time.Hour))
	switch {
	case s.InWatchlist != nil && *s.InWatchlist:
		return l.resolve(queue.Resolution{Doubt: d, State: viewing.StateDelivered, Reason: "Read back: the service has this item on the watchlist."})
	case watched:
		return l.resolve(queue.Resolution{
			Doubt: d, State: viewing.StateInDoubt, Taken: d.Taken + 1,
			Reason: "Read back: the item was watched since, so it is not put on the watchlist again by itself.",
		})
	case d.Entry.Attempts >= maxWishes:
		return l.resolve(queue.Resolution{
			Doubt: d, State: viewing.StateInDoubt, Taken: d.Taken + 1,
			Reason: fmt.Sprintf("Read back: this wish was sent %d times and never answered.", d.Entry.Attempts),
		})
	default:
		return l.resolve(queue.Resolution{
			Doubt: d, State: viewing.StatePending,
			Reason: "Read back: a wish may be repeated without harm. It is sent again.",
		})
	}
}

// statuses asks for the status of the items of doubts; what cannot be had is
// left out.
func (l *look) statuses(ctx context.Context, of []queue.Doubt) map[string]tracker.ItemStatus {
	all := map[string]tracker.ItemStatus{}
	if l.reader == nil || !l.ways.may(supportStatus) {
		return all
	}
	for part := range slices.Chunk(of, tracker.MaxStatusItems-1) {
		items := make([]viewing.Media, len(part))
		for i, d := range part {
			items[i] = *d.Entry.Media
		}
		found, err := l.reader.MediaStatus(ctx, items)
		if l.ways.note(supportStatus, err) || err != nil {
			return all
		}
		for key, s := range found {
			all[key] = s
		}
	}
	return all
}
