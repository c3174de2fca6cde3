package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Commit writes a batch in one transaction, and returns one outcome for each event, in order,
// when everything is on disk. A batch with an invalid event is rejected with an error wrapping
// [viewing.ErrInvalid]; disk errors wrap [sqlite.ErrStorage]. Committing a batch again is safe:
// known events are duplicates. An amendment may refer to an event of any source of the same kind,
// because their event ids share one namespace; if the event is unknown, it is ignored.
func (s *Store) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	outcomes, err := s.commitBatch(ctx, b, false)
	if errors.Is(err, sqlite.ErrStorage) {
		s.file.CountRefused(len(b.Events))
	}
	return outcomes, err
}

// Preview returns what [Store.Commit] would return, and changes nothing. The ids of entries in
// its outcomes are not valid.
func (s *Store) Preview(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	return s.commitBatch(ctx, b, true)
}

func (s *Store) commitBatch(ctx context.Context, b viewing.Batch, dry bool) (outcomes []viewing.Outcome, err error) {
	events, err := checkBatch(b)
	if err != nil {
		return nil, err
	}
	err = s.writeDry(ctx, "keep events", dry, func(t *tx) error {
		outcomes = make([]viewing.Outcome, 0, len(events))
		for _, event := range events {
			outcomes = append(outcomes, t.commit(event))
		}
		for _, a := range b.Amendments {
			if err := t.amend(viewing.SourceKind(b.Source), a); err != nil {
				return fmt.Errorf("amend event %s: %w", a.EventID, err)
			}
		}
		t.saveSourceState(b)
		return nil
	})
	return outcomes, err
}

// commit writes an event: with new entries, or, if it repeats an earlier event (see
// [viewing.Event.SameAs]), as a further sighting of that event's entries. An event whose id is
// known changes nothing.
func (t *tx) commit(e event) viewing.Outcome {
	o := viewing.Outcome{EventID: e.EventID, Status: viewing.StatusQueued}
	sameAs := t.resolveSameAs(e)
	event, added, err := t.InsertNew(`INSERT INTO events (source, source_kind, event_id, body, committed_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (source_kind, event_id) DO NOTHING`, e.source, e.kind, e.EventID, string(e.body), t.now)
	must(event, err)
	switch {
	case !added:
		earlier := t.findEvent(e.kind, e.EventID)
		if o.Status = viewing.StatusDuplicate; bytes.Equal(earlier.body, e.body) {
			o.Entries = t.entriesOf(earlier.id)
		} else {
			o.Status, o.Reason = viewing.StatusConflict, "this event id was used before with other content"
		}
	case sameAs == 0:
		t.makeEntries(e, event, &o)
	default:
		t.nudge = true
		o.Entries = t.entriesOf(sameAs)
		for _, id := range o.Entries {
			t.addRepeatedReport(e, event, id)
		}
	}
	return o
}

// addSighting records an event as a further sighting of an entry.
func (t *tx) addSighting(event, id int64) {
	t.exec("INSERT OR IGNORE INTO witnesses (event, entry) VALUES (?, ?)", event, id)
}

// addRepeatedReport records an event as one more report of an entry, without changing the entry.
func (t *tx) addRepeatedReport(e event, event, id int64) {
	t.addSighting(event, id)
	t.step(id, entry.Step{Code: "sighting.again", Args: entry.Args{"source": e.source, "event": e.EventID}})
}

// makeEntries writes a new event to each account, item by item: as a new entry, or as a further
// sighting of the entry of the same playback.
func (t *tx) makeEntries(e event, event int64, o *viewing.Outcome) {
	ignored, wanted, joined, counted := "", false, true, map[int]bool{}
	overflowing := sync.OnceValue(func() bool { return t.exceedsBurst(e.source, e.Event) })
	for _, p := range t.destinations(e) {
		for part, item := range e.parts() {
			d := t.draft(e, p, part, item)
			if same := t.findRequested(d, p.shared); same != 0 {
				t.addRepeatedReport(e, event, same)
				wanted, o.Entries = true, append(o.Entries, same)
				continue
			}
			d.counted = counted[part]
			existing := t.duplicateOf(d.entryWithSources, e.source == viewing.SourceCLI)
			switch {
			case existing != nil && existing.State == viewing.StateDropped:
				ignored = existing.Reason
			case existing == nil && d.State == viewing.StateDropped:
				ignored = d.Reason
			default:
				wanted = true
			}
			if joined = joined && existing != nil; existing == nil && d.State == viewing.StateHeld {
				o.Held = d.Reason
			}
			if existing != nil {
				d.ID = existing.ID
				t.addSighting(event, d.ID)
				t.mergeSighting(&existing.Entry, d.Entry, entry.Step{Code: "sighting", Args: entry.Args{"event": e.EventID}})
			} else {
				if d.State == viewing.StatePending && d.Lane == viewing.LaneLive && overflowing() {
					d.State, d.Reason, d.steps = viewing.StateHeld, viewing.ReasonBurst, append(d.steps, t.burstStep(e.source))
				}
				t.insert(event, &d)
			}
			counted[part] = counted[part] || d.State != viewing.StateDropped
			o.Entries = append(o.Entries, d.ID)
		}
	}
	slices.Sort(o.Entries)
	if o.Joined = joined; !wanted {
		o.Status, o.Reason = viewing.StatusDropped, ignored
	}
}

// findRequested returns the entry that asks for the same as the draft of an import: the title on
// the watchlist, a list of that name, or the item on a shared list; 0 if none exists. Imports
// from Kodi are never compared, so that its lists stay separate.
func (t *tx) findRequested(d draft, shared bool) (id int64) {
	const selectSame = "SELECT id FROM entries WHERE +account = ? AND kind = ? AND state <> 'dropped' AND state <> 'rejected' AND "
	switch {
	case d.Class != viewing.ClassImport || viewing.SourceKind(d.Source) == viewing.SourceKodi:
	case d.Kind == viewing.KindWatchlist && d.Key() != "":
		t.find(selectWatchlistEntry, []any{d.Account, d.Key()}, &id)
	case d.Kind == viewing.KindList:
		t.find(selectSame+"list ->> '$.name' = ?", []any{d.Account, string(d.Kind), d.List.Name}, &id)
	case shared && d.Media.IDs.TMDB > 0:
		t.find(selectSame+"after = ? AND media ->> '$.type' = ? AND media ->> '$.ids.tmdb' = ?",
			[]any{d.Account, string(d.Kind), d.After, string(d.Media.Type), d.Media.IDs.TMDB}, &id)
	}
	return id
}

// draft is an entry before it is inserted, with the steps that led to its state.
type draft struct {
	entryWithSources
	steps   []entry.Step
	counted bool // another account's entry for the same viewing counts in the statistics
}

// draft returns the entry for an item of an event in one account: with its correction, if a
// person has made one, and with the decision of the rules.
func (t *tx) draft(e event, p destination, part int, item *viewing.Media) (d draft) {
	d.sources, d.runtime, d.unsure = []string{e.source}, e.runtime(), e.Unsure
	d.Entry = Entry{
		Kind: e.Kind, Account: p.account, Source: e.source, EventID: e.EventID, Part: part, Media: item, List: e.List, Priority: e.Priority,
		WatchedAt: entry.Moment{Instant: e.WatchedAt}, Class: e.Class, After: p.list, CreatedAt: millis(t.now), Minutes: e.Minutes(),
	}
	correction := t.correctionFor(item)
	if correction != nil {
		is, _ := correction.Apply(*item)
		d.Media, d.Reported, d.Correction = &is, item, correction.ID
	}
	decided := t.decide(t.settings, p.account, e.source, e.Event, d.Media)
	d.State, d.Reason, d.Lane, d.NextAt, d.steps = decided.State, decided.Reason, decided.Lane, decided.NotBefore, decided.Steps
	if correction != nil {
		d.steps = slices.Insert(d.steps, 1, correctedStep(correction.Work, *item, *d.Media))
	}
	if e.Kind == viewing.KindListItem {
		d.applyListState(p.listState)
	}
	return d
}

// insert writes a new entry of an event and counts it. The entry is due when it was watched, so
// that the oldest is sent first, or at its NextAt if that is later.
func (t *tx) insert(event int64, d *draft) {
	e := &d.Entry
	if e.State.Finished() {
		e.SettledAt = e.CreatedAt
	}
	words, root := t.saveTitles(*e), rootOf(*e)
	root.Valid = root.Valid && !d.counted
	millis, evidence := watchedColumns(e.WatchedAt.Instant)
	e.ID = must(t.Insert(`INSERT INTO entries (event, account, part, kind, media, reported, correction, list, item_key, priority, watched_at, watched,
			class, created_at, state, reason, lane, after, next_at, planned_at, settled_at, decided, words, minutes, root)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(nullif(?, 0), (SELECT minutes FROM titles WHERE key = ?)), ?)`,
		event, e.Account, e.Part, string(e.Kind), asJSON{e.Media}, asJSON{e.Reported}, idOrNull(e.Correction), asJSON{e.List}, e.Key(), e.Priority,
		millis, evidence, string(e.Class), t.now, string(e.State), e.Reason, int(e.Lane), idOrNull(e.After),
		max(t.dueSince(*e).UnixMilli(), e.NextAt.UnixMilli()), t.now, timeOrNull(e.SettledAt), asJSON{d.steps}, words, e.Minutes, e.Key(), root))
	t.count(e.Account, e.State, 1)
	t.updateLookup(Entry{}, *e)
}

// saveSourceState applies the changes of a batch to the stored state of its source.
func (t *tx) saveSourceState(b viewing.Batch) {
	for key, value := range b.State {
		if value == nil {
			t.exec("DELETE FROM source_state WHERE source = ? AND key = ?", b.Source, key)
		} else {
			t.exec(`INSERT INTO source_state (source, key, value) VALUES (?, ?, ?)
				ON CONFLICT (source, key) DO UPDATE SET value = excluded.value`, b.Source, key, value)
		}
	}
}

// number formats an id for the arguments of a step.
func number(id int64) string { return strconv.FormatInt(id, 10) }
