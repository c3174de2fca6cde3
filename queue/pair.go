package queue

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// pair finds for each part of a new event the entries of other sources that
// are the same playback. What is imported has rules of its own: it is held
// against all that is known before it is handed over, and before it is sent.
func (t *tx) pair(e sighting, drafts []draft) error {
	if e.Kind != viewing.KindViewing || e.Class == viewing.ClassImport || e.kind == viewing.SourceImport {
		return nil
	}
	if (seen{Entry: Entry{WatchedAt: Moment{e.WatchedAt}}, unsure: e.Unsure}).timeless() {
		return nil
	}
	found := map[string][]*seen{} // by account and item
	for i := range drafts {
		d := &drafts[i]
		if d.State == viewing.StateDropped || d.item.Key() == "" {
			continue
		}
		s := &seen{sources: []string{e.source}, runtime: e.runtime(), Entry: Entry{
			Account: d.Account, State: d.State, Reason: d.Reason, Source: e.source,
			Kind: e.Kind, Media: d.item, WatchedAt: Moment{e.WatchedAt},
		}}
		place := d.Account + " " + d.item.Key()
		others, known := found[place]
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
		found[place] = slices.DeleteFunc(others, func(o *seen) bool { return slices.Contains(d.over, o) })
	}
	return nil
}

// runtime is the running time of the event's item, as far as it is told.
func (e *sighting) runtime() (seconds time.Duration) {
	if e.Progress != nil {
		seconds = readSeconds(e.Progress.Duration)
	}
	return max(seconds, readSeconds(float64(e.Origin.Runtime)))
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
func (t *tx) makeParts(e sighting, event int64, drafts []draft, own bool) (entries []int64, err error) {
	for _, d := range drafts {
		var id int64
		if d.into != nil {
			entries = append(entries, d.into.ID)
			d.State, d.Reason = viewing.StateMerged, viewing.ReasonSeenTwice
			d.Steps = append(d.Steps, mergedSentence(Entry{WatchedAt: Moment{e.WatchedAt}}, d.into.Entry))
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
func (t *tx) link(e sighting, event, id int64, d draft) error {
	if d.into != nil {
		return t.join(e, event, d)
	}
	for _, o := range d.over {
		if err := t.merge(*o, Entry{ID: id, Source: e.source, WatchedAt: Moment{e.WatchedAt}}); err != nil {
			return err
		}
	}
	return nil
}

// join makes an event a further sighting of the entry that one of its parts is
// merged into.
func (t *tx) join(e sighting, event int64, d draft) error {
	if _, err := t.exec("INSERT INTO witnesses (event, entry) VALUES (?, ?)", event, d.into.ID); err != nil {
		return err
	}
	t.nudge = true
	return t.step(d.into.ID, "sighting", fmt.Sprintf("Seen by %s too as event %s, %s: the same playback, so nothing is added.",
		e.source, e.EventID, distance(e.WatchedAt, d.into.WatchedAt.Instant)))
}
