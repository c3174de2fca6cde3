package replay

import (
	"encoding/json"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// readBack reads back what the service has, for the entries in doubt that are due. It
// fetches and records; package doubt decides. It plans the next one. Its error is of
// our own disk.
func (r *run) readBack(now time.Time) error {
	all, due, err := r.planReadBack(now)
	if err != nil || len(due) == 0 {
		return err
	}
	v := r.check()
	if r.stopping() || r.replacedMeanwhile() {
		return nil
	}
	if v.Fate != tracker.Delivered && v.Fate != tracker.Rejected {
		r.heard(0, v, time.Now())
		if !r.line.closed && r.row.Pause.Reason == "" { // whatever it was, the next one waits for a while
			r.line.shut(time.Now())
			r.trouble(v)
		}
		return nil
	}
	b := reading{run: r, all: all, due: due}
	for _, settle := range []func() error{b.lists, b.items, b.wishes, b.films, b.episodes} {
		if err := settle(); err != nil {
			return err
		}
		if r.stopping() || r.replacedMeanwhile() {
			return nil // what was not settled is read back again
		}
	}
	end := time.Now()
	r.watch.Looked(due, end.Sub(now), end)
	_, _, err = r.planReadBack(end)
	return err
}

// planReadBack gives the entries in doubt, and those that are due, true for those
// whose read-back is early. It plans the next read-back.
func (r *run) planReadBack(now time.Time) (all []queue.Doubt, due map[int64]bool, err error) {
	if err := r.step(StepDoubts); err != nil {
		return nil, nil, err
	}
	all, err = r.outbox.Doubts(r.ctx, r.account)
	if err != nil {
		return nil, nil, err
	}
	r.readBackAt, due = time.Time{}, map[int64]bool{}
	open := map[int64]bool{}
	for _, d := range all {
		open[d.Entry.ID] = true
		shows := d.Entry.Kind == viewing.KindViewing && r.mayAsk(supportHistory)
		at, early := r.watch.Due(r.policy, d.Entry.ID, caseOf(d), shows, now)
		if !at.IsZero() && !at.After(now) {
			due[d.Entry.ID] = early
		}
		r.readBackAt = earliest(r.readBackAt, at)
	}
	r.watch.Keep(open)
	return all, due, nil
}

// caseOf is what is kept of an entry in doubt.
func caseOf(d queue.Doubt) doubt.Case {
	return doubt.Case{Attempts: d.Entry.Attempts, Since: d.Since, LastByte: d.At, ReadAt: d.ReadAt, Taken: d.Taken}
}

// reading is one read-back.
type reading struct {
	*run
	all []queue.Doubt  // also those that are not due: they may claim a record
	due map[int64]bool // early or not
}

// inDoubt adds to [caseOf] what this read-back knows.
func (b *reading) inDoubt(d queue.Doubt) doubt.Case {
	c := caseOf(d)
	c.Stranger = d.SentAt.Before(b.row.MovedAt) || b.isForeign(d.Owner)
	c.Early = b.due[d.Entry.ID]
	return c
}

// isForeign reports whether what was sent with that owner's key is another's.
func (b *reading) isForeign(owner string) bool { return owner != "" && b.user != "" && owner != b.user }

// open settles the doubts of one kind that are due and need no reading, and gives the
// others.
func (b *reading) open(fits func(queue.Entry) bool) (open []queue.Doubt, err error) {
	for _, d := range b.all {
		if _, due := b.due[d.Entry.ID]; !due || !fits(d.Entry) {
			continue
		}
		o, settled := b.policy.Unread(b.inDoubt(d), time.Now())
		if !settled {
			open = append(open, d)
		} else if err := b.record(d, o, nil); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// record writes what was found. An entry that has changed meanwhile is another's
// business. An early read-back leaves everything as it was, unless it has found a
// record.
func (b *reading) record(d queue.Doubt, o doubt.Outcome, readings json.RawMessage) error {
	if b.due[d.Entry.ID] && o.State != viewing.StateDelivered {
		return nil
	}
	if err := b.step(StepRecord); err != nil {
		return err
	}
	err := b.outbox.RecordReadBack(b.write, queue.ReadBack{
		Doubt: d, State: o.State, Why: text(o.Reason), ReadAt: o.ReadAt, Readings: readings, Taken: o.Taken, Resend: o.Resend, RemoteID: o.RemoteID,
	})
	if gone(err) {
		b.log.Debug("entry changed while it was looked for", "entry", d.Entry.ID)
		return nil
	}
	if err == nil && o.State != viewing.StateInDoubt {
		b.log.Info("doubt settled", "entry", d.Entry.ID, "state", string(o.State))
	}
	return err
}

// unreadable has the setting decide about doubts that cannot be read back.
func (b *reading) unreadable(open []queue.Doubt, why string) error {
	for _, d := range open {
		if err := b.record(d, b.policy.Unsettled(b.inDoubt(d), why, time.Now()), nil); err != nil {
			return err
		}
	}
	return nil
}

// unread is why the setting decides where the service cannot be read.
const unread = "the service's records cannot be read"

// lists looks for lists whose creation is in doubt.
func (b *reading) lists() error {
	open, err := b.open(func(e queue.Entry) bool { return e.Kind == viewing.KindList })
	if err != nil || len(open) == 0 {
		return err
	}
	if !b.mayAsk(supportLists) {
		return b.unreadable(open, unread)
	}
	var known doubt.Lists
	known.Shown, known.Complete, err = b.service.Lists(b.ctx)
	switch {
	case b.stopping():
		return nil
	case b.learn(supportLists, err):
		return b.unreadable(open, unread)
	}
	known.Complete = known.Complete && err == nil
	for _, d := range b.all {
		if d.Entry.List != nil {
			known.Doubts = append(known.Doubts, *d.Entry.List)
		}
	}
	for _, d := range open {
		if err := b.record(d, b.policy.List(b.inDoubt(d), *d.Entry.List, d.Before, known, time.Now()), nil); err != nil {
			return err
		}
	}
	return nil
}

// items has the setting decide about items of lists: no endpoint shows what is on a
// list, nor whether an item that is sent twice is there twice.
func (b *reading) items() error {
	open, err := b.open(func(e queue.Entry) bool { return e.Kind == viewing.KindListItem })
	if err != nil {
		return err
	}
	return b.unreadable(open, "the service does not show what is on its lists")
}

// wishes repeats watchlist wishes.
func (b *reading) wishes() error {
	open, err := b.open(func(e queue.Entry) bool { return e.Kind == viewing.KindWatchlist })
	for _, d := range open {
		var watched bool
		if watched, err = b.outbox.WatchedSince(b.ctx, b.account, *d.Entry.Media, d.Entry.CreatedAt); err == nil {
			err = b.record(d, doubt.Wish(b.inDoubt(d), watched), nil)
		}
		if err != nil {
			return err
		}
	}
	return err
}

func (b *reading) films() error { return b.viewings(viewing.Movie) }

func (b *reading) episodes() error { return b.viewings(viewing.Episode) }

// sampled is how many viewings that have arrived are read from the outbox, to find
// some of each form.
const sampled = 200

// viewings looks for the viewings of one type in the whole history.
func (b *reading) viewings(t viewing.MediaType) error {
	open, err := b.open(func(e queue.Entry) bool { return e.Kind == viewing.KindViewing && e.Media.Type == t })
	if err != nil || len(open) == 0 {
		return err
	}
	if !b.mayAsk(supportHistory) {
		return b.unreadable(open, unread)
	}
	claims, err := b.claims(open)
	if err != nil {
		return err
	}
	sent, err := b.outbox.Answered(b.ctx, b.account, b.row.MovedAt, sampled)
	if err != nil {
		return err
	}
	meanwhile, err := b.outbox.SentSince(b.ctx, b.account, oldest(open))
	if err != nil {
		return err
	}
	s := doubt.Survey{At: time.Now(), Keeps: doubt.Precision(b.row.Keeps), Anchors: doubt.Anchors{}}
	for _, a := range sent {
		if a.Entry.Media.Type == t && !b.isForeign(a.Owner) {
			s.Anchors.Add(doubt.Anchor{Media: *a.Entry.Media, Watched: a.Entry.WatchedAt.Time(), Sent: a.At})
		}
	}
	s.History, err = b.service.AllHistory(b.ctx, t)
	switch {
	case b.stopping() || b.replacedMeanwhile():
		return nil
	case b.learn(supportHistory, err):
		return b.unreadable(open, unread)
	}
	b.learnPrecision(&s)
	for _, d := range open {
		watched := d.Entry.WatchedAt.Time()
		var left []doubt.Departure
		for _, a := range meanwhile {
			if !a.At.Before(d.At) {
				left = append(left, doubt.Departure{Media: *a.Entry.Media, Watched: a.Entry.WatchedAt.Time()})
			}
		}
		readings, kept := doubt.Append(d.Readings, s.Read(*d.Entry.Media, watched, left))
		e := doubt.Evidence{Watched: watched, Keeps: s.Keeps, Readings: readings, Claimed: claims[d.Entry.Media.Key()]}
		e.Elder, e.Younger = b.rivals(d)
		if err := b.record(d, b.policy.Viewing(b.inDoubt(d), e, time.Now()), kept); err != nil {
			return err
		}
	}
	return nil
}

// oldest is when the first of the doubts began.
func oldest(open []queue.Doubt) time.Time {
	first := open[0].At
	for _, d := range open {
		first = earliest(first, d.At)
	}
	return first
}

// rivals are the times of the other doubts about the same item.
func (b *reading) rivals(d queue.Doubt) (elder, younger []time.Time) {
	for _, other := range b.all {
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
func (b *reading) claims(open []queue.Doubt) (map[string][]time.Time, error) {
	keys := make([]string, len(open))
	for i, d := range open {
		keys[i] = d.Entry.Media.Key()
	}
	entries, err := b.outbox.Claims(b.ctx, b.account, keys)
	all := map[string][]time.Time{}
	for _, e := range entries {
		all[e.Media.Key()] = append(all[e.Media.Key()], e.WatchedAt.Time())
	}
	return all, err
}

// learnPrecision finds out how the service keeps times.
func (b *reading) learnPrecision(s *doubt.Survey) {
	keeps := s.Learn()
	if !s.History.Complete || keeps == doubt.Unknown || keeps == s.Keeps {
		return
	}
	b.log.Info("learned how the service keeps times", "precision", string(keeps))
	s.Keeps = keeps
	b.change(func(a *account.Row) { a.Keeps = string(keeps) })
}
