package replay

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// firstLooksApart is how far first looks are apart: each reads a whole history.
const firstReadInterval = 20 * time.Second

// sampled is how many viewings that have arrived are read from the outbox, to find
// some of each form.
const anchorSample = 200

// unread is why the setting decides where the service cannot be read.
const codeUnreadable = "doubt.unread"

// doubtKey names the request that left an entry in doubt.
type doubtKey struct{ entry, lastByte int64 }

func newDoubtKey(d queue.Doubt) doubtKey { return doubtKey{d.Entry.ID, d.At.UnixMilli()} }

// readBack reads back what the service has, for the entries in doubt that are due. It
// fetches and records; package doubt decides. It plans the next one. Its error is of
// our own disk.
func (r *run) readBack(now time.Time) error {
	all, due, err := r.planReadBack(now)
	if err != nil || len(due) == 0 {
		return err
	}
	v := r.checkService()
	if r.stopping() {
		return nil
	}
	if v.Fate != tracker.Delivered && v.Fate != tracker.Rejected {
		r.recordFailedCheck(0, v)
		return nil
	}
	b := readBackPass{r, all}
	open := map[string][]queue.Doubt{} // by kind, of viewings by the type of the item
	for _, d := range due {
		subject := string(d.Entry.Kind)
		if d.Entry.Kind == viewing.KindViewing {
			subject = string(d.Entry.Media.Type)
		}
		o, settled := r.policy.DecideUnread(r.newCase(d), time.Now())
		if !settled {
			open[subject] = append(open[subject], d)
		} else if err := r.saveReadBack(d, o); err != nil {
			return err
		}
	}
	for _, subject := range slices.Sorted(maps.Keys(open)) {
		if err := b.readGroup(open[subject]); err != nil || r.stopping() {
			return err // what was not settled is read back again
		}
	}
	r.lastReadBack = time.Now()
	_, _, err = r.planReadBack(r.lastReadBack)
	return err
}

// planReadBack gives the entries in doubt, and those that are due. It plans the next
// read-back.
func (r *run) planReadBack(now time.Time) (all, due []queue.Doubt, err error) {
	all, err = r.o.Outbox.Doubts(r.ctx, r.o.Account)
	if err != nil {
		return nil, nil, err
	}
	r.readBackAt = time.Time{}
	seen := map[doubtKey]time.Time{}
	for _, d := range all {
		seen[newDoubtKey(d)] = cmp.Or(r.firstSeen[newDoubtKey(d)], now)
	}
	r.firstSeen = seen
	for _, d := range all {
		c := r.newCase(d)
		shows := d.Entry.Kind == viewing.KindViewing && r.mayUse(supportHistory) && !r.policy.Resends(c.Since, now)
		at := r.policy.Due(c, shows, now)
		if !at.IsZero() && shows && r.policy.TooEarlyForAbsence(c, now) && !r.lastReadBack.IsZero() {
			at = later(at, r.lastReadBack.Add(firstReadInterval))
		}
		if !at.IsZero() && !at.After(now) {
			due = append(due, d)
		}
		r.readBackAt = earliest(r.readBackAt, at)
	}
	return all, due, nil
}

// caseOf is what is known of an entry in doubt.
func (r *run) newCase(d queue.Doubt) doubt.Case {
	return doubt.Case{Doubt: d, Seen: r.firstSeen[newDoubtKey(d)], OtherOwner: d.SentAt.Before(r.row.MovedAt) || r.isOtherOwner(d.Owner)}
}

// isForeign reports whether what was sent with that owner's key is another's.
func (r *run) isOtherOwner(owner string) bool {
	return owner != "" && r.keyUserID != "" && owner != r.keyUserID
}

// record writes what was found. An entry that has changed meanwhile is another's
// business.
func (r *run) saveReadBack(d queue.Doubt, o queue.ReadBack) error {
	if err := r.o.Step(StepSave); err != nil {
		return err
	}
	o.Doubt = d
	err := r.o.Outbox.RecordReadBack(r.saveCtx, o)
	if isStale(err) {
		r.o.Logger.Debug("entry changed while it was read back", "entry", d.Entry.ID)
		return nil
	}
	if err == nil && o.State != viewing.StateInDoubt {
		r.o.Logger.Info("doubt settled", "entry", d.Entry.ID, "state", string(o.State))
	}
	return err
}

// reading is one read-back. all are also those that are not due: they may claim a record.
type readBackPass struct {
	*run
	allDoubts []queue.Doubt
}

// settle reads back doubts of one kind, of viewings of one type.
func (b *readBackPass) readGroup(open []queue.Doubt) error {
	switch first := open[0].Entry; first.Kind {
	case viewing.KindList:
		return b.readLists(open)
	case viewing.KindListItem: // no endpoint shows what is on a list, nor whether an item is there twice
		return b.applySetting(open, "doubt.noListItems")
	case viewing.KindWatchlist:
		return b.repeatWatchlist(open)
	default:
		return b.readViewings(open, first.Media.Type)
	}
}

// unreadable has the setting decide about doubts that cannot be read back.
func (b *readBackPass) applySetting(open []queue.Doubt, code string) error {
	for _, d := range open {
		if err := b.saveReadBack(d, b.policy.ApplySetting(b.newCase(d), viewing.Say(code), time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// lists looks for lists whose creation is in doubt.
func (b *readBackPass) readLists(open []queue.Doubt) (err error) {
	if !b.mayUse(supportLists) {
		return b.applySetting(open, codeUnreadable)
	}
	var known doubt.Lists
	known.Shown, known.Complete, err = b.service.Lists(b.ctx)
	switch {
	case b.stopping():
		return nil
	case b.recordSupport(supportLists, err):
		return b.applySetting(open, codeUnreadable)
	}
	known.Complete = known.Complete && err == nil
	for _, d := range b.allDoubts {
		if d.Entry.List != nil {
			known.Doubts = append(known.Doubts, *d.Entry.List)
		}
	}
	for _, d := range open {
		if err := b.saveReadBack(d, b.policy.DecideList(b.newCase(d), known, time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// wishes repeats watchlist wishes.
func (b *readBackPass) repeatWatchlist(open []queue.Doubt) error {
	for _, d := range open {
		watched, err := b.o.Outbox.WatchedSince(b.ctx, b.o.Account, *d.Entry.Media, d.Entry.CreatedAt)
		if err == nil {
			err = b.saveReadBack(d, doubt.DecideWatchlist(b.newCase(d), watched))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// viewings looks for the viewings of one type in the whole history.
func (b *readBackPass) readViewings(open []queue.Doubt, t viewing.MediaType) error {
	if !b.mayUse(supportHistory) {
		return b.applySetting(open, codeUnreadable)
	}
	var keys []string
	for _, d := range open {
		keys = append(keys, d.Entry.Media.Key())
	}
	entries, err := b.o.Outbox.Claims(b.ctx, b.o.Account, keys)
	if err != nil {
		return err
	}
	claimed := map[string][]time.Time{}
	for _, e := range entries {
		claimed[e.Media.Key()] = append(claimed[e.Media.Key()], e.WatchedAt.Time())
	}
	sent, err := b.o.Outbox.Answered(b.ctx, b.o.Account, b.row.MovedAt, anchorSample)
	if err != nil {
		return err
	}
	var anchors []doubt.Anchor
	for _, a := range sent {
		if a.Entry.Media.Type == t && !b.isOtherOwner(a.Owner) {
			anchors = append(anchors, doubt.Anchor{Media: *a.Entry.Media, Watched: a.Entry.WatchedAt.Time(), Sent: a.At})
		}
	}
	began := time.Now()
	all, err := b.service.AllHistory(b.ctx, t)
	switch {
	case b.stopping():
		return nil
	case b.recordSupport(supportHistory, err):
		return b.applySetting(open, codeUnreadable)
	}
	h := doubt.NewHistory(began, all, anchors)
	keeps := b.learnPrecision(h)
	for _, d := range open {
		watched := d.Entry.WatchedAt.Time()
		e := doubt.Evidence{
			Watched: watched, Precision: keeps, Reading: h.Read(*d.Entry.Media, watched, keeps), Claimed: claimed[d.Entry.Media.Key()], Absent: d.Absent,
		}
		for _, other := range b.allDoubts {
			switch o := other.Entry; {
			case o.Kind != viewing.KindViewing || o.Media == nil || o.Media.Key() != d.Entry.Media.Key():
			case o.ID < d.Entry.ID:
				e.Older = append(e.Older, o.WatchedAt.Time())
			case o.ID > d.Entry.ID:
				e.Newer = append(e.Newer, o.WatchedAt.Time())
			}
		}
		if err := b.saveReadBack(d, b.policy.DecideViewing(b.newCase(d), e, time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// precision is how the service keeps times, as learned now or before.
func (b *readBackPass) learnPrecision(h doubt.History) doubt.Precision {
	keeps := doubt.Precision(b.row.Keeps)
	learned := h.Precision()
	if !h.Complete || learned == doubt.Unknown || learned == keeps {
		return keeps
	}
	b.o.Logger.Info("learned how the service keeps times", "precision", string(learned))
	b.editRow(func(a *account.Row) { a.Keeps = string(learned) })
	return learned
}
