package queue

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/viewing"
)

// weight is what an entry has for it when two are one.
func weight(e Entry) playback.Weight {
	return playback.Standing{
		State: e.State, Reason: e.Reason, Sent: e.Attempts > 0, DayOnly: e.WatchedAt.Precision == viewing.Day,
	}.Weight()
}

// seen is an entry with all who saw what it tells; of one in the making the
// id is 0.
type seen struct {
	Entry
	sources []string
	runtime time.Duration // the longest that was told; 0 when unknown
	unsure  bool          // its own source cannot tell whether, or when, it happened
}

// timeless reports what has a day in the place of a time that nobody knows,
// such as the plays before the last one. It is held against nothing.
func (s seen) timeless() bool { return s.unsure && s.WatchedAt.Precision == viewing.Day }

// end is what tells whether it is the same playback as another.
func (s seen) end() playback.End {
	return playback.End{At: s.WatchedAt.Instant, Type: s.Media.Type, Runtime: s.runtime}
}

// strange reports that no source saw both: what one source tells twice
// happened twice.
func (s seen) strange(o seen) bool {
	return !slices.ContainsFunc(s.sources, func(source string) bool { return slices.Contains(o.sources, source) })
}

// meets says which entries are the same playback as s: the one that s is
// merged into, or else those that are merged into s. The nearest comes first.
func (s *seen) meets(others []*seen) (into *seen, over []*seen) {
	var near []*seen
	for _, o := range others {
		if playback.TwoSources.Same(s.end(), o.end()) && s.strange(*o) {
			near = append(near, o)
		}
	}
	slices.SortStableFunc(near, func(a, b *seen) int {
		one, two := playback.Apart(s.WatchedAt.Instant, a.WatchedAt.Instant), playback.Apart(s.WatchedAt.Instant, b.WatchedAt.Instant)
		return cmp.Or(cmp.Compare(one, two), cmp.Compare(a.ID, b.ID))
	})
	own := weight(s.Entry)
	for _, o := range near {
		if weight(o.Entry) == playback.Firm || weight(o.Entry) >= own {
			return o, nil
		}
	}
	for _, o := range near {
		if s.strange(*o) {
			s.sources = append(s.sources, o.sources...)
			over = append(over, o)
		}
	}
	return nil, over
}

// selectNear finds the entries about an item that ended within a time and were
// not made of what the same source saw, by their indexes, word for word.
const selectNear = `SELECT n.id FROM entries AS n JOIN events AS v ON v.id = n.event
	WHERE n.account = ?1 AND n.item_key = ?2 AND n.item_key <> '' AND n.happened_at BETWEEN ?3 AND ?4 AND v.source <> ?5
		AND (n.state = 'pending' OR n.state = 'sending' OR n.state = 'in_doubt')
	UNION ALL SELECT n.id FROM entries AS n JOIN events AS v ON v.id = n.event
	WHERE n.account = ?1 AND n.item_key = ?2 AND n.item_key <> '' AND n.happened_at BETWEEN ?3 AND ?4 AND v.source <> ?5
		AND (n.state = 'held' OR n.state = 'delivered' OR n.state = 'rejected' OR n.state = 'dropped' OR n.state = 'merged')`

// selectSeen reads who saw what an entry tells, and how long they say it is.
const selectSeen = `SELECT v.source, iif(json_valid(v.body), max(coalesce(json_extract(v.body, '$.progress.duration'), 0.0),
		coalesce(json_extract(v.body, '$.origin.runtime'), 0.0)), 0.0), own AND iif(json_valid(v.body), json_extract(v.body, '$.unsure') IS 1, 0) FROM (
		SELECT event, 1 AS own FROM entries WHERE id = ?1 UNION ALL SELECT event, 0 FROM witnesses WHERE entry = ?1
	) AS sighting JOIN events AS v ON v.id = sighting.event`

// others are the viewings that s may be the same playback as.
func (t *tx) others(s seen) ([]*seen, error) {
	at, reach := s.WatchedAt.Millis, playback.Reach.Milliseconds()
	ids, err := t.Numbers(selectNear, s.Account, s.Media.Key(), at-reach, at+reach, s.Source)
	if err != nil {
		return nil, err
	}
	var others []*seen
	for _, id := range ids {
		e, err := t.entry(id)
		if err != nil {
			return nil, err
		}
		if e.Kind != viewing.KindViewing || weight(e) == playback.None {
			continue
		}
		o, err := t.seenBy(e)
		if err != nil {
			return nil, err
		}
		if !o.timeless() {
			others = append(others, o)
		}
	}
	return others, nil
}

// seenBy adds to an entry who saw it.
func (t *tx) seenBy(e Entry) (*seen, error) {
	s := &seen{Entry: e}
	rows, err := t.Query(selectSeen, e.ID)
	_, err = disk.Collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		var source string
		var seconds float64
		var unsure bool
		err := r.Scan(&source, &seconds, &unsure)
		s.unsure = s.unsure || unsure
		s.sources = append(s.sources, source)
		s.runtime = max(s.runtime, playback.Seconds(seconds))
		return struct{}{}, err
	})
	return s, err
}

// meet holds an entry that has changed against those of other sources: it may
// tell of the same playback as another now.
func (t *tx) meet(id int64, asked bool) error {
	s, others, err := t.near(id, asked)
	if err != nil || s == nil {
		return err
	}
	into, over := s.meets(others)
	if into != nil {
		return t.merge(*s, into.Entry)
	}
	for _, o := range over {
		if err := t.merge(*o, s.Entry); err != nil {
			return err
		}
	}
	return nil
}

// near is an entry with those that it may be the same playback as; nil when it is
// held against nothing. What the user has done to it (asked) weighs more than that
// they dropped another one before.
func (t *tx) near(id int64, asked bool) (s *seen, others []*seen, err error) {
	e, err := t.entry(id)
	if err != nil {
		return nil, nil, err
	}
	open := e.State == viewing.StatePending || e.State == viewing.StateHeld
	if !open || e.Kind != viewing.KindViewing || e.Media.Key() == "" || e.Class == viewing.ClassImport {
		return nil, nil, nil
	}
	if s, err = t.seenBy(e); err != nil || s.timeless() {
		return nil, nil, err
	}
	others, err = t.others(*s)
	if asked {
		others = slices.DeleteFunc(others, func(o *seen) bool { return o.State == viewing.StateDropped })
	}
	return s, others, err
}

// merge merges an entry into another: all that was seen of it goes along.
func (t *tx) merge(lesser seen, into Entry) error {
	_, err := t.Exec(`INSERT OR IGNORE INTO witnesses (event, entry)
		SELECT event, ?2 FROM entries WHERE id = ?1 UNION ALL SELECT event, ?2 FROM witnesses WHERE entry = ?1`, lesser.ID, into.ID)
	if err != nil {
		return err
	}
	if err := t.move(lesser.Entry, viewing.StateMerged, viewing.ReasonSeenTwice); err != nil {
		return err
	}
	if err := t.step(lesser.ID, string(viewing.StateMerged), mergedSentence(lesser.Entry, into)); err != nil {
		return err
	}
	return t.step(into.ID, "sighting", fmt.Sprintf("Seen by %s too, %s: the same playback. Entry %d, which was %s, is merged into this one.",
		lesser.Source, playback.Distance(lesser.WatchedAt.Instant, into.WatchedAt.Instant), lesser.ID, lesser.Standing()))
}

// mergedSentence tells a person why an entry is merged into another.
func mergedSentence(e, into Entry) string {
	return fmt.Sprintf("Merged into entry %d: %s saw the same playback, %s.", into.ID, into.Source, playback.Distance(into.WatchedAt.Instant, e.WatchedAt.Instant))
}

// pair finds for each part of a new event the entries of other sources that
// are the same playback. What is imported has rules of its own: it is held
// against all that is known before it is handed over, and before it is sent.
func (t *tx) pair(e event, drafts []draft) error {
	if e.Kind != viewing.KindViewing || e.Class == viewing.ClassImport {
		return nil
	}
	if (seen{Entry: Entry{WatchedAt: entry.Moment{Instant: e.WatchedAt}}, unsure: e.Unsure}).timeless() {
		return nil
	}
	found := map[string][]*seen{} // by account and item
	for i := range drafts {
		d := &drafts[i]
		if d.State == viewing.StateDropped || d.item.Key() == "" {
			continue
		}
		s := &seen{sources: []string{e.source}, runtime: e.runtime(), Entry: Entry{
			Account: d.account, State: d.State, Reason: d.Reason, Source: e.source,
			Kind: e.Kind, Media: d.item, WatchedAt: entry.Moment{Instant: e.WatchedAt},
		}}
		where := d.account + " " + d.item.Key()
		others, known := found[where]
		if !known {
			var err error
			if others, err = t.others(*s); err != nil {
				return err
			}
			if e.source == viewing.SourceCLI {
				others = slices.DeleteFunc(others, func(o *seen) bool { return o.State == viewing.StateDropped })
			}
		}
		if d.into, d.over = s.meets(others); d.into != nil {
			d.into.sources = append(d.into.sources, e.source) // for the parts after this one
		}
		found[where] = slices.DeleteFunc(others, func(o *seen) bool { return slices.Contains(d.over, o) })
	}
	return nil
}

// runtime is the running time of the event's item, as far as it is told.
func (e *event) runtime() (seconds time.Duration) {
	if e.Progress != nil {
		seconds = playback.Seconds(e.Progress.Duration)
	}
	return max(seconds, playback.Seconds(float64(e.Origin.Runtime)))
}

// joined are the entries that an event becomes part of whole; nil when any of
// its parts becomes an entry of its own.
func joined(drafts []draft) (entries []int64) {
	for _, d := range drafts {
		if d.into == nil {
			return nil
		}
		entries = append(entries, d.into.ID)
	}
	return entries
}

// ignored says why the user wants none of an event's parts; "" when they want
// any.
func ignored(drafts []draft) (why string) {
	for _, d := range drafts {
		switch {
		case d.into != nil && d.into.State == viewing.StateDropped:
			why = "you have dropped the same playback, as " + d.into.Source + " saw it"
		case d.State == viewing.StateDropped:
			why = d.Why()
		default:
			return ""
		}
	}
	return why
}

// makeParts writes what an event becomes: entries of its own, unless it becomes
// part of others whole. It returns all of them, in order.
func (t *tx) makeParts(e event, event int64, drafts []draft, own bool) (entries []int64, err error) {
	for _, d := range drafts {
		var id int64
		if d.into != nil {
			entries = append(entries, d.into.ID)
			d.State, d.Reason = viewing.StateMerged, viewing.ReasonSeenTwice
			d.Steps = append(d.Steps, mergedSentence(Entry{WatchedAt: entry.Moment{Instant: e.WatchedAt}}, d.into.Entry))
		}
		if own {
			if id, err = t.makeEntry(e, event, d); err != nil {
				return nil, err
			}
			entries = append(entries, id)
		}
		if err := t.link(e, event, id, d); err != nil {
			return nil, err
		}
	}
	slices.Sort(entries)
	return entries, nil
}

// link ties a part, which became the entry id, to what it is the same as.
func (t *tx) link(e event, event, id int64, d draft) error {
	if d.into != nil {
		return t.join(e, event, d)
	}
	for _, o := range d.over {
		if err := t.merge(*o, Entry{ID: id, Source: e.source, WatchedAt: entry.Moment{Instant: e.WatchedAt}}); err != nil {
			return err
		}
	}
	return nil
}

// join makes an event a further sighting of the entry that one of its parts is
// merged into.
func (t *tx) join(e event, event int64, d draft) error {
	if _, err := t.Exec("INSERT INTO witnesses (event, entry) VALUES (?, ?)", event, d.into.ID); err != nil {
		return err
	}
	t.nudge = true
	return t.step(d.into.ID, "sighting", fmt.Sprintf("Seen by %s too as event %s, %s: the same playback, so nothing is added.",
		e.source, e.EventID, playback.Distance(e.WatchedAt, d.into.WatchedAt.Instant)))
}
