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

// firstReadInterval is the least time between two early read-backs: each reads a whole history.
const firstReadInterval = 20 * time.Second

// anchorSample is how many delivered viewings are read from the outbox as anchors, enough
// to find some of each naming form.
const anchorSample = 200

// codeUnreadable is the message code for a service without an endpoint to read.
const codeUnreadable = "doubt.unread"

// doubtKey identifies the request that left an entry in doubt.
type doubtKey struct{ entry, lastByte int64 }

func newDoubtKey(d queue.Doubt) doubtKey { return doubtKey{d.Entry.ID, d.At.UnixMilli()} }

// readBack reads from the service what package doubt needs to decide about the entries in
// doubt that are due, stores the decisions and plans the next read-back. Every error it
// returns is one of the local disk.
func (r *run) readBack(now time.Time) error {
	all, due, err := r.planReadBack(now)
	if err != nil || len(due) == 0 {
		return err
	}
	v := r.checkService()
	if r.stopping() {
		return nil
	}
	if v.Outcome != tracker.Delivered && v.Outcome != tracker.Rejected {
		r.recordFailedCheck(0, v)
		return nil
	}
	b := readBackPass{r, all}
	open := map[string][]queue.Doubt{} // by entry kind, viewings by the item's type
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
			return err // undecided entries are read back again
		}
	}
	r.lastReadBack = time.Now()
	_, _, err = r.planReadBack(r.lastReadBack)
	return err
}

// planReadBack returns all entries in doubt and those that are due, and plans the next
// read-back.
func (r *run) planReadBack(now time.Time) (all, due []queue.Doubt, err error) {
	all, err = r.options.Outbox.Doubts(r.ctx, r.options.Account)
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
		readable := d.Entry.Kind == viewing.KindViewing && r.mayUse(supportHistory) && !r.policy.Resends(c.Since, now)
		at := r.policy.Due(c, readable, now)
		if !at.IsZero() && readable && r.policy.TooEarlyForAbsence(c, now) && !r.lastReadBack.IsZero() {
			at = later(at, r.lastReadBack.Add(firstReadInterval))
		}
		if !at.IsZero() && !at.After(now) {
			due = append(due, d)
		}
		r.readBackAt = earliest(r.readBackAt, at)
	}
	return all, due, nil
}

// newCase returns what package doubt needs to know of an entry in doubt.
func (r *run) newCase(d queue.Doubt) doubt.Case {
	return doubt.Case{Doubt: d, FirstSeen: r.firstSeen[newDoubtKey(d)], OtherOwner: d.SentAt.Before(r.row.MovedAt) || r.isOtherOwner(d.Owner)}
}

// isOtherOwner reports whether owner, the user of the key that a request was sent with, is
// not the current user.
func (r *run) isOtherOwner(owner string) bool {
	return owner != "" && r.keyUserID != "" && owner != r.keyUserID
}

// saveReadBack writes a decision. It skips an entry that was changed meanwhile.
func (r *run) saveReadBack(d queue.Doubt, o queue.ReadBack) error {
	if err := r.options.Step(StepSave); err != nil {
		return err
	}
	o.Doubt = d
	err := r.options.Outbox.RecordReadBack(r.saveCtx, o)
	if isStale(err) {
		r.options.Logger.Debug("entry changed while it was read back", "entry", d.Entry.ID)
		return nil
	}
	if err == nil && o.State != viewing.StateInDoubt {
		r.options.Logger.Info("doubt settled", "entry", d.Entry.ID, "state", string(o.State))
	}
	return err
}

// readBackPass is one read-back. allDoubts includes entries that are not due: a record on
// the service may be theirs.
type readBackPass struct {
	*run
	allDoubts []queue.Doubt
}

// readGroup reads back doubts of one entry kind, for viewings of one item type.
func (b *readBackPass) readGroup(open []queue.Doubt) error {
	switch first := open[0].Entry; first.Kind {
	case viewing.KindList:
		return b.readLists(open)
	case viewing.KindListItem: // no endpoint lists the items of a list
		return b.applySetting(open, "doubt.noListItems")
	case viewing.KindWatchlist:
		return b.repeatWatchlist(open)
	default:
		return b.readViewings(open, first.Media.Type)
	}
}

// applySetting applies the setting in_doubt to doubts that cannot be read back.
func (b *readBackPass) applySetting(open []queue.Doubt, code string) error {
	for _, d := range open {
		if err := b.saveReadBack(d, b.policy.ApplySetting(b.newCase(d), viewing.Say(code), time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// readLists searches the service's lists for those that a request in doubt may have created.
func (b *readBackPass) readLists(open []queue.Doubt) (err error) {
	if !b.mayUse(supportLists) {
		return b.applySetting(open, codeUnreadable)
	}
	var known doubt.Lists
	known.Remote, known.Complete, err = b.service.Lists(b.ctx)
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

// repeatWatchlist sends watchlist adds again, unless the item was watched since.
func (b *readBackPass) repeatWatchlist(open []queue.Doubt) error {
	for _, d := range open {
		watched, err := b.options.Outbox.WatchedSince(b.ctx, b.options.Account, *d.Entry.Media, d.Entry.CreatedAt)
		if err == nil {
			err = b.saveReadBack(d, doubt.DecideWatchlist(b.newCase(d), watched))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readViewings searches the service's whole history for viewings of one type.
func (b *readBackPass) readViewings(open []queue.Doubt, t viewing.MediaType) error {
	if !b.mayUse(supportHistory) {
		return b.applySetting(open, codeUnreadable)
	}
	var keys []string
	for _, d := range open {
		keys = append(keys, d.Entry.Media.Key())
	}
	entries, err := b.options.Outbox.Claims(b.ctx, b.options.Account, keys)
	if err != nil {
		return err
	}
	claimed := map[string][]time.Time{}
	for _, e := range entries {
		claimed[e.Media.Key()] = append(claimed[e.Media.Key()], e.WatchedAt.Time())
	}
	sent, err := b.options.Outbox.Answered(b.ctx, b.options.Account, b.row.MovedAt, anchorSample)
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
	precision := b.learnPrecision(h)
	for _, d := range open {
		watched := d.Entry.WatchedAt.Time()
		e := doubt.Evidence{
			Watched: watched, Precision: precision, Reading: h.Read(*d.Entry.Media, watched, precision),
			Claimed: claimed[d.Entry.Media.Key()], Absent: d.Absent,
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

// learnPrecision returns how precisely the service stores times. A complete history updates
// what was learned before.
func (b *readBackPass) learnPrecision(h doubt.History) doubt.Precision {
	precision := doubt.Precision(b.row.Keeps)
	learned := h.Precision()
	if !h.Complete || learned == doubt.Unknown || learned == precision {
		return precision
	}
	b.options.Logger.Info("learned how the service keeps times", "precision", string(learned))
	b.editRow(func(a *account.Row) { a.Keeps = string(learned) })
	return learned
}
