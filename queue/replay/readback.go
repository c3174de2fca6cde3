package replay

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// readBack is one read-back of what the service has, for the entries in doubt that are
// due. It fetches and keeps; package doubt decides.
type readBack struct {
	*Loop
	write      context.Context
	departures *departures
	service    Service
	reader     Reader // nil: it cannot be read
	ways       *ways
	all        []queue.Doubt // also those that are not due: they may claim a record
	plan       map[int64]planned
	owner      string // whose key is used; "" when unknown
}

// planned is what a read-back has to do with one entry in doubt.
type planned struct {
	due, early bool
	departed   int // how many had begun to leave when it was first seen in doubt
}

// do reads back. The verdict is of the question whether the service takes requests
// at all; the error is the outbox's.
func (l *readBack) do(ctx context.Context) (tracker.Verdict, error) {
	var err error
	if l.ways, err = waysOf(ctx, l.outbox, l.account); err != nil {
		return tracker.Verdict{}, err
	}
	if v := l.knock(ctx); v.Fate != tracker.Delivered {
		return v, l.ways.keep(l.write)
	}
	for _, do := range []func(context.Context) error{l.settleLists, l.settleItems, l.settleWishes, l.settleFilms, l.settleEpisodes} {
		if err = do(ctx); err != nil || ctx.Err() != nil {
			break
		}
	}
	if ctx.Err() != nil {
		err = nil // called off; what was not written is read back again
	}
	if kept := l.ways.keep(l.write); err == nil {
		err = kept
	}
	return tracker.Verdict{Fate: tracker.Delivered}, err
}

// knock asks whether the service takes requests, and whose key it is.
func (l *readBack) knock(ctx context.Context) tracker.Verdict {
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
		l.ways.change(func(a *account.Row) { a.Owner = user.ID })
	}
	return tracker.Verdict{Fate: tracker.Delivered}
}

func (l *readBack) foreign(owner string) bool {
	return owner != "" && l.owner != "" && owner != l.owner
}

// caseOf is what is kept of an entry in doubt.
func caseOf(d queue.Doubt) doubt.Case {
	return doubt.Case{Attempts: d.Entry.Attempts, Since: d.Since, LastByte: d.At, ReadAt: d.ReadAt, Taken: d.Taken}
}

// inDoubt adds to [caseOf] what this read-back knows.
func (l *readBack) inDoubt(d queue.Doubt) doubt.Case {
	c := caseOf(d)
	c.Stranger = d.SentAt.Before(l.ways.account.MovedAt) || l.foreign(d.Owner)
	c.Early = l.plan[d.Entry.ID].early
	return c
}

// open settles the doubts of one kind that are due and need no reading, and
// gives the others.
func (l *readBack) open(fits func(queue.Entry) bool) (open []queue.Doubt, err error) {
	for _, d := range l.all {
		if !l.plan[d.Entry.ID].due || !fits(d.Entry) {
			continue
		}
		o, settled := l.policy.Unread(l.inDoubt(d), time.Now())
		if !settled {
			open = append(open, d)
			continue
		}
		if err := l.settle(d, o, nil); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// settle writes what was found. An entry that has changed meanwhile is
// another's business. An early one leaves everything as it was, unless it has
// found a record.
func (l *readBack) settle(d queue.Doubt, o doubt.Outcome, readings json.RawMessage) error {
	if l.plan[d.Entry.ID].early && o.State != viewing.StateDelivered {
		return nil
	}
	err := l.doubts.RecordReadBack(l.write, queue.ReadBack{
		Doubt: d, State: o.State, Reason: o.Reason, ReadAt: o.ReadAt, Readings: readings, Taken: o.Taken,
		Resend: o.Resend, RemoteID: o.RemoteID,
	})
	if gone(err) {
		l.log.Debug("entry changed while it was looked for", "entry", d.Entry.ID)
		return nil
	}
	if err == nil && o.State != viewing.StateInDoubt {
		l.log.Info("doubt settled", "entry", d.Entry.ID, "state", string(o.State))
	}
	return err
}

// unreadable has the setting decide about doubts that cannot be read back.
func (l *readBack) unreadable(open []queue.Doubt, why string) error {
	for _, d := range open {
		if err := l.settle(d, l.policy.Unsettled(l.inDoubt(d), why, time.Now()), nil); err != nil {
			return err
		}
	}
	return nil
}

// unread is why the setting decides where the service cannot be read.
const unread = "the service's records cannot be read"

// settleLists looks for lists whose creation is in doubt.
func (l *readBack) settleLists(ctx context.Context) error {
	open, err := l.open(func(e queue.Entry) bool { return e.Kind == viewing.KindList })
	if err != nil || len(open) == 0 {
		return err
	}
	if l.reader == nil || !l.ways.may(supportLists) {
		return l.unreadable(open, unread)
	}
	var known doubt.Lists
	known.Shown, known.Complete, err = l.reader.Lists(ctx)
	switch {
	case ctx.Err() != nil:
		return nil
	case l.ways.note(supportLists, err):
		return l.unreadable(open, unread)
	}
	known.Complete = known.Complete && err == nil
	for _, d := range l.all {
		if d.Entry.List != nil {
			known.Doubts = append(known.Doubts, *d.Entry.List)
		}
	}
	for _, d := range open {
		if err := l.settle(d, l.policy.List(l.inDoubt(d), *d.Entry.List, d.Before, known, time.Now()), nil); err != nil {
			return err
		}
	}
	return nil
}

// settleItems has the setting decide about items of lists in doubt: no endpoint shows
// what is on a list, and whether an item that is sent twice is there twice is
// the service's secret.
func (l *readBack) settleItems(context.Context) error {
	open, err := l.open(func(e queue.Entry) bool { return e.Kind == viewing.KindListItem })
	if err != nil {
		return err
	}
	return l.unreadable(open, "the service does not show what is on its lists")
}

// settleWishes repeats watchlist wishes in doubt.
func (l *readBack) settleWishes(ctx context.Context) error {
	open, err := l.open(func(e queue.Entry) bool { return e.Kind == viewing.KindWatchlist })
	if err != nil || len(open) == 0 {
		return err
	}
	known, _ := l.statuses(ctx, open, nil)
	for _, d := range open {
		if ctx.Err() != nil {
			return nil
		}
		watched, err := l.doubts.WatchedSince(ctx, l.account, *d.Entry.Media, d.Entry.CreatedAt)
		if err == nil {
			err = l.settle(d, doubt.Wish(l.inDoubt(d), d.Entry.CreatedAt, known[d.Entry.Media.Key()], watched), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// statuses asks for the status of the items of doubts, with those items beside
// them in each request. What cannot be had is left out; readable says that the
// service may be asked. An item beside counts only where every answer shows it
// as watched: an answer that misses it may miss the others, too.
func (l *readBack) statuses(ctx context.Context, of []queue.Doubt, beside []viewing.Media) (all map[string]tracker.ItemStatus, readable bool) {
	all = map[string]tracker.ItemStatus{}
	if l.reader == nil || !l.ways.may(supportStatus) {
		return all, false
	}
	missed := map[string]bool{}
	for part := range slices.Chunk(of, tracker.MaxStatusItems-len(beside)) {
		items := make([]viewing.Media, len(part))
		for i, d := range part {
			items[i] = *d.Entry.Media
		}
		found, err := l.reader.MediaStatus(ctx, append(items, beside...))
		if l.ways.note(supportStatus, err) {
			break
		}
		readable = true
		if err != nil {
			break
		}
		for _, m := range beside {
			watched := found[m.Key()].Watched
			missed[m.Key()] = missed[m.Key()] || watched == nil || !*watched
		}
		maps.Copy(all, found)
	}
	maps.DeleteFunc(all, func(key string, _ tracker.ItemStatus) bool { return missed[key] })
	return all, readable
}

func (l *readBack) settleFilms(ctx context.Context) error {
	return l.settleViewings(ctx, viewing.Movie)
}

func (l *readBack) settleEpisodes(ctx context.Context) error {
	return l.settleViewings(ctx, viewing.Episode)
}

// settleViewings looks for the viewings of one type.
func (l *readBack) settleViewings(ctx context.Context, t viewing.MediaType) error {
	open, err := l.open(func(e queue.Entry) bool { return e.Kind == viewing.KindViewing && e.Media.Type == t })
	if err != nil || len(open) == 0 {
		return err
	}
	claims, err := l.claims(ctx, open)
	if err != nil {
		return err
	}
	s, fresh, err := l.survey(ctx, t, open)
	switch {
	case err != nil || ctx.Err() != nil:
		return err
	case fresh == nil:
		return l.unreadable(open, unread)
	}
	for _, d := range open {
		if ctx.Err() != nil {
			return nil
		}
		readings, kept := doubt.Append(d.Readings, fresh[d.Entry.ID])
		e := doubt.Evidence{
			Watched: d.Entry.WatchedAt.Time(), Keeps: s.Keeps, Readings: readings, Claimed: claims[d.Entry.Media.Key()],
		}
		e.Elder, e.Younger = l.rivals(d)
		if err := l.settle(d, l.policy.Viewing(l.inDoubt(d), e, time.Now()), kept); err != nil {
			return err
		}
	}
	return nil
}

// rivals are the times of the other doubts about the same item.
func (l *readBack) rivals(d queue.Doubt) (elder, younger []time.Time) {
	for _, other := range l.all {
		e := other.Entry
		switch at := e.WatchedAt.Time(); {
		case e.Kind != viewing.KindViewing || e.Media == nil || e.Media.Key() != d.Entry.Media.Key():
		case e.ID < d.Entry.ID:
			elder = append(elder, at)
		case e.ID > d.Entry.ID:
			younger = append(younger, at)
		}
	}
	return elder, younger
}

// claims are the times that other entries of ours account for, by item.
func (l *readBack) claims(ctx context.Context, open []queue.Doubt) (map[string][]time.Time, error) {
	keys := make([]string, len(open))
	for i, d := range open {
		keys[i] = d.Entry.Media.Key()
	}
	entries, err := l.doubts.Claims(ctx, l.account, keys)
	all := map[string][]time.Time{}
	for _, e := range entries {
		all[e.Media.Key()] = append(all[e.Media.Key()], e.WatchedAt.Time())
	}
	return all, err
}

// survey asks the service about viewings in doubt: first for the status of the
// items. What that leaves open is looked for in the whole history. It gives a
// reading of each, or none when the service cannot be asked in any way.
func (l *readBack) survey(ctx context.Context, t viewing.MediaType, open []queue.Doubt) (doubt.Survey, map[int64]doubt.Reading, error) {
	s := doubt.Survey{At: time.Now(), Keeps: doubt.Precision(l.ways.account.Keeps), Anchors: doubt.Anchors{}}
	sent, err := l.doubts.Answered(ctx, l.account, l.ways.account.MovedAt, answered)
	if err != nil || l.reader == nil {
		return s, nil, err
	}
	for _, a := range sent {
		if a.Entry.Media.Type == t && !l.foreign(a.Owner) {
			s.Anchors.Add(doubt.Anchor{Media: *a.Entry.Media, Watched: a.Entry.WatchedAt.Time(), Sent: a.At})
		}
	}
	readable := false
	s.Statuses, readable = l.statuses(ctx, open, s.Anchors.Items())
	fresh := map[int64]doubt.Reading{}
	left := slices.DeleteFunc(slices.Clone(open), func(d queue.Doubt) bool {
		fresh[d.Entry.ID] = s.Glance(*d.Entry.Media)
		return s.Telling(fresh[d.Entry.ID], d.Entry.WatchedAt.Time())
	})
	if len(left) > 0 && l.ways.may(supportHistory) && ctx.Err() == nil {
		s.History, err = l.reader.AllHistory(ctx, t)
		if !l.ways.note(supportHistory, err) {
			readable = true
			s.Keeps = l.learn(s)
			for _, d := range left {
				e := d.Entry
				fresh[e.ID] = s.Read(fresh[e.ID], *e.Media, e.WatchedAt.Time(), l.departures.since(l.plan[e.ID].departed))
			}
		}
	}
	if !readable {
		fresh = nil
	}
	return s, fresh, nil
}

// answered is how many viewings that have arrived are read from the outbox, to
// find some of each form.
const answered = 200

// learn finds out how the service keeps times.
func (l *readBack) learn(s doubt.Survey) doubt.Precision {
	keeps := s.Learn()
	if !s.History.Complete || keeps == doubt.Unknown || keeps == s.Keeps {
		return s.Keeps
	}
	l.log.Info("learned how the service keeps times", "precision", string(keeps))
	l.ways.change(func(a *account.Row) { a.Keeps = string(keeps) })
	return keeps
}
