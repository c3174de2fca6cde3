package replay

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxAnchors is how many viewings that have arrived are looked for in one
// form, to learn how the service keeps times.
const maxAnchors = 20

// survey is what one look has seen of the viewings of one type.
type survey struct {
	at       time.Time
	readable bool                    // the service can be asked in some way
	fresh    map[int64]doubt.Reading // by entry
	claims   map[string][]time.Time  // by item: times that other entries account for
}

// survey asks the service about viewings in doubt, first for the status of
// the items, then, for those which that leaves open, for its whole history.
func (l *look) survey(ctx context.Context, t viewing.MediaType, open []queue.Doubt) (*survey, error) {
	s := &survey{at: time.Now(), fresh: map[int64]doubt.Reading{}, claims: map[string][]time.Time{}}
	if err := l.readClaims(ctx, s, open); err != nil {
		return nil, err
	}
	sent, err := l.doubts.Answered(ctx, l.account, l.ways.account.MovedAt, 10*maxAnchors)
	if err != nil || l.reader == nil {
		return s, err
	}
	anchors := l.anchors(sent, t)
	l.glance(ctx, s, open, anchors)
	left := slices.DeleteFunc(slices.Clone(open), func(d queue.Doubt) bool { return l.telling(s.fresh[d.Entry.ID], d) })
	if len(left) == 0 || !l.ways.may(supportHistory) || ctx.Err() != nil {
		return s, nil
	}
	history, err := l.reader.AllHistory(ctx, t)
	if l.ways.note(supportHistory, err) {
		return s, nil
	}
	s.readable = true
	if history.Complete {
		l.learn(history, anchors)
	}
	for _, d := range left {
		latest := s.fresh[d.Entry.ID].Latest
		r := l.reading(d, history, anchors)
		r.At, r.Latest = s.at, latest
		s.fresh[d.Entry.ID] = r
	}
	return s, nil
}

// readClaims finds the times that other entries of ours account for.
func (l *look) readClaims(ctx context.Context, s *survey, open []queue.Doubt) error {
	keys := make([]string, len(open))
	for i, d := range open {
		keys[i] = d.Entry.Media.Key()
	}
	claims, err := l.doubts.Claims(ctx, l.account, keys)
	for _, e := range claims {
		s.claims[e.Media.Key()] = append(s.claims[e.Media.Key()], e.WatchedAt.Time())
	}
	return err
}

// form is how an item is named towards the service. Only items of one form
// tell anything of each other.
func form(m viewing.Media) string {
	if m.Placed() {
		return "placed"
	}
	return string(m.Type)
}

// anchors are viewings of the type that are known to have arrived, by form.
func (l *look) anchors(sent []queue.Sent, t viewing.MediaType) map[string][]queue.Sent {
	anchors := map[string][]queue.Sent{}
	for _, s := range sent {
		if s.Entry.Media.Type != t || l.foreign(s.Owner) {
			continue
		}
		if f := form(*s.Entry.Media); len(anchors[f]) < maxAnchors {
			anchors[f] = append(anchors[f], s)
		}
	}
	return anchors
}

// glance asks for the status of the items, with an anchor of each form in the
// same request: an item that the service calls unwatched proves something only
// beside one that it knows.
func (l *look) glance(ctx context.Context, s *survey, open []queue.Doubt, anchors map[string][]queue.Sent) {
	if !l.ways.may(supportStatus) {
		return
	}
	for part := range slices.Chunk(open, tracker.MaxStatusItems-len(anchors)) {
		var items []viewing.Media
		for _, d := range part {
			items = append(items, *d.Entry.Media)
		}
		for _, of := range anchors {
			items = append(items, *of[0].Entry.Media)
		}
		found, err := l.reader.MediaStatus(ctx, items)
		if l.ways.note(supportStatus, err) {
			return
		}
		s.readable = true
		if err != nil {
			return
		}
		for _, d := range part {
			s.fresh[d.Entry.ID] = glimpse(s.at, *d.Entry.Media, found, anchors[form(*d.Entry.Media)])
		}
	}
}

// glimpse is a reading of one item's status.
func glimpse(at time.Time, m viewing.Media, found map[string]tracker.ItemStatus, anchors []queue.Sent) doubt.Reading {
	r := doubt.Reading{At: at}
	status, told := found[m.Key()]
	if told && status.Watched != nil && !*status.Watched {
		r.Never = true
	} else {
		r.Latest = status.WatchedAt
	}
	if len(anchors) > 0 {
		known := found[anchors[0].Entry.Media.Key()]
		r.Anchor = known.Watched != nil && *known.Watched
	}
	return r
}

// telling reports whether a glimpse needs no reading of the history.
func (l *look) telling(r doubt.Reading, d queue.Doubt) bool {
	keeps := doubt.Precision(l.ways.account.Keeps)
	return r.Never && r.Anchor || !r.Latest.IsZero() && keeps.Same(r.Latest, d.Entry.WatchedAt.Time())
}

// learn finds out how the service keeps times, from the viewings that it has
// answered with success.
func (l *look) learn(history tracker.Reading, anchors map[string][]queue.Sent) {
	var all []doubt.Anchor
	for _, of := range anchors {
		for _, s := range of {
			shown, _ := times(history, *s.Entry.Media, s.Entry.WatchedAt.Time())
			all = append(all, doubt.Anchor{Watched: s.Entry.WatchedAt.Time(), Sent: s.At, Shown: shown})
		}
	}
	keeps := string(doubt.Learn(all))
	if keeps == "" || keeps == l.ways.account.Keeps {
		return
	}
	l.log.Info("learned how the service keeps times", "precision", keeps)
	l.ways.change(func(a *queue.Account) { a.Keeps = keeps })
}

// times are the times of an item's records. Vague is set when there is a
// record near at that may be the item's but cannot be compared, or one of the
// item without a time.
func times(history tracker.Reading, m viewing.Media, at time.Time) (all []time.Time, vague bool) {
	for _, h := range history.Items {
		switch like := h.Of(m); {
		case like == tracker.Alike && !h.WatchedAt.IsZero():
			all = append(all, h.WatchedAt)
		case like == tracker.Alike, like == tracker.Unclear && (h.WatchedAt.IsZero() || doubt.Day.Same(h.WatchedAt, at)):
			vague = true
		}
	}
	return all, vague
}

// reading is what the history shows of one viewing in doubt.
func (l *look) reading(d queue.Doubt, history tracker.Reading, anchors map[string][]queue.Sent) doubt.Reading {
	keeps := doubt.Precision(l.ways.account.Keeps)
	r := doubt.Reading{Complete: history.Complete}
	r.Print = printWithout(history, l.departures.since(l.departed[d.Entry.ID]), keeps)
	r.Records, r.Vague = times(history, *d.Entry.Media, d.Entry.WatchedAt.Time())
	for _, s := range anchors[form(*d.Entry.Media)] {
		at := s.Entry.WatchedAt.Time()
		shown, _ := times(history, *s.Entry.Media, at)
		r.Anchor = r.Anchor || slices.ContainsFunc(shown, func(t time.Time) bool { return keeps.Same(t, at) })
	}
	return r
}

// readings are the last two readings of an entry, this one included, and the
// same as they are kept.
func (s *survey) readings(d queue.Doubt) ([]doubt.Reading, json.RawMessage) {
	var all []doubt.Reading
	if len(d.Readings) > 0 && json.Unmarshal(d.Readings, &all) != nil {
		all = nil // of another version: they are taken again
	}
	fresh := s.fresh[d.Entry.ID]
	fresh.At = s.at
	all = append(all, fresh)
	all = all[max(0, len(all)-2):]
	kept, err := json.Marshal(all)
	if err != nil {
		kept = nil // a time that JSON does not know; the next reading stands alone
	}
	return all, kept
}
