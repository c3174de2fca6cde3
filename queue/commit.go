package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sighting is one viewing of a batch, ready to be written.
type sighting struct {
	viewing.Viewing
	source, kind string
	body         []byte // canonical: the fields of the struct in their order
	content      []byte // what tells a repetition from a conflict
}

// Commit puts a batch on disk, whole or not at all, and answers each viewing
// in the batch's order. It returns after the disk has everything. A viewing
// against the field rules refuses the batch with an error wrapping
// [viewing.ErrInvalid]; trouble with the disk is [ErrStorage]. Repeating a
// batch is harmless. An amendment reaches events of every source of the same
// kind, for their ids are one space; of an unknown event it is passed over.
func (s *Store) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	sightings, err := read(b)
	if err != nil {
		return nil, err
	}
	var outcomes []viewing.Outcome
	err = s.write(ctx, func(t *tx) error {
		for _, e := range sightings {
			o, err := t.take(e)
			if err != nil {
				return fmt.Errorf("keep event %s: %w", e.EventID, err)
			}
			outcomes = append(outcomes, o)
		}
		for _, a := range b.Amendments {
			if err := t.amend(viewing.SourceKind(b.Source), a); err != nil {
				return fmt.Errorf("amend event %s: %w", a.EventID, err)
			}
		}
		return t.keepState(b)
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// read checks a batch and renders what will be kept of it.
func read(b viewing.Batch) ([]sighting, error) {
	kind := viewing.SourceKind(b.Source)
	if kind == "" {
		return nil, fmt.Errorf("%w: source: is missing", viewing.ErrInvalid)
	}
	sightings := make([]sighting, len(b.Viewings))
	var faults []error
	for i, v := range b.Viewings {
		if err := v.Validate(); err != nil {
			faults = append(faults, fmt.Errorf("check event %q: %w", v.EventID, err))
			continue
		}
		body, err := json.Marshal(v)
		if err != nil {
			faults = append(faults, fmt.Errorf("write event %q: %w: %w", v.EventID, viewing.ErrInvalid, err))
		}
		content := sha256.Sum256(body)
		sightings[i] = sighting{Viewing: v, source: b.Source, kind: kind, body: body, content: content[:]}
	}
	return sightings, errors.Join(faults...)
}

// take keeps one event, unless it is known already.
func (t *tx) take(e sighting) (viewing.Outcome, error) {
	o := viewing.Outcome{EventID: e.EventID, Status: viewing.StatusQueued}
	was, err := t.earlier(e.kind, e.EventID)
	switch {
	case err != nil:
		return o, err
	case was == nil:
		o.Entries, err = t.keep(e)
		return o, err
	case !bytes.Equal(was.content, e.content):
		o.Status = viewing.StatusConflict
		o.Reason = "this event id was used before with other content"
		return o, nil
	default:
		o.Status = viewing.StatusDuplicate
		o.Entries, err = t.entriesOf(was.event)
		return o, err
	}
}

// known is an event that was taken before.
type known struct {
	event   int64
	content []byte
}

// dedupeKey names an event for good.
func dedupeKey(kind, eventID string) string { return kind + ":" + eventID }

// earlier finds an event that was taken before; nil when it is new.
func (t *tx) earlier(kind, eventID string) (*known, error) {
	var k known
	found, err := t.find("SELECT event, content FROM dedupe WHERE key = ?",
		[]any{dedupeKey(kind, eventID)}, &k.event, &k.content)
	if err != nil || !found {
		return nil, err
	}
	return &k, nil
}

// keep writes a new event with its entries, or as a witness of earlier ones.
func (t *tx) keep(e sighting) ([]int64, error) {
	event, err := t.insert(`INSERT INTO events (source, source_kind, event_id, content, body, committed_at)
		VALUES (?, ?, ?, ?, ?, ?)`, e.source, e.kind, e.EventID, e.content, string(e.body), t.now)
	if err != nil {
		return nil, err
	}
	entries, witness, err := t.witness(e, event)
	if err == nil && !witness {
		entries, err = t.makeEntries(e, event)
	}
	if err != nil {
		return nil, err
	}
	first := sql.NullInt64{Valid: len(entries) > 0}
	if first.Valid {
		first.Int64 = entries[0]
	}
	_, err = t.exec("INSERT INTO dedupe (key, content, event, entry) VALUES (?, ?, ?, ?)",
		dedupeKey(e.kind, e.EventID), e.content, event, first)
	return entries, err
}

// witness joins an event to the entries of the earlier one that it is another
// sighting of; ok is false when it names none that is known.
func (t *tx) witness(e sighting, event int64) (entries []int64, ok bool, err error) {
	if e.SameAs == "" {
		return nil, false, nil
	}
	was, err := t.earlier(e.kind, e.SameAs)
	if err != nil || was == nil {
		return nil, false, err
	}
	if entries, err = t.entriesOf(was.event); err != nil {
		return nil, false, err
	}
	detail := fmt.Sprintf("Seen again by %s as event %s: the same playback, so nothing is added.", e.source, e.EventID)
	for _, entry := range entries {
		if _, err := t.exec("INSERT INTO witnesses (event, entry) VALUES (?, ?)", event, entry); err != nil {
			return nil, false, err
		}
		if err := t.step(entry, "sighting", detail); err != nil {
			return nil, false, err
		}
	}
	t.nudge = true
	return entries, true, nil
}

// entriesOf lists the entries that an event became, or became part of.
func (t *tx) entriesOf(event int64) ([]int64, error) {
	rows, err := t.query(`SELECT id FROM entries WHERE event = ?1
		UNION SELECT entry FROM witnesses WHERE event = ?1 ORDER BY 1`, event)
	return collect(rows, err, scanID)
}

// makeEntries makes an event's entries: one for each request that it asks for.
func (t *tx) makeEntries(e sighting, event int64) ([]int64, error) {
	items := make([]*viewing.Media, len(e.Media))
	for i := range e.Media {
		items[i] = &e.Media[i]
	}
	times := 1
	switch e.Kind {
	case viewing.KindViewing:
		times = e.Count
	case viewing.KindList:
		items = []*viewing.Media{nil}
	}
	var entries []int64
	for part := range times * len(items) {
		id, err := t.makeEntry(e, event, part, items[part%len(items)])
		if err != nil {
			return nil, err
		}
		entries = append(entries, id)
	}
	return entries, nil
}

// makeEntry writes one entry as the rules decide, with their reasons.
func (t *tx) makeEntry(e sighting, event int64, part int, m *viewing.Media) (int64, error) {
	decision := rules.Decide(t.settings, e.source, e.Viewing, m, time.UnixMilli(t.now))
	media, key, err := writeMedia(m)
	if err != nil {
		return 0, err
	}
	list, err := writeList(e.List)
	if err != nil {
		return 0, err
	}
	decided, err := writeJSON(decision.Steps)
	if err != nil {
		return 0, err
	}
	at := writeInstant(e.WatchedAt)
	id, err := t.insert(`INSERT INTO entries (event, account, part, kind, state, reason, media, list, item_key,
			priority, watched_at, watched_text, watched_offset, watched_precision, class, lane, next_at, created_at, decided)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		event, decision.Account, part, string(e.Kind), decision.State, decision.Reason, media, list, key,
		e.Priority, at.millis, at.text, at.offset, at.precision, string(e.Class), int(laneOf(decision)),
		max(at.due(t.now), decision.NotBefore.UnixMilli()), t.now, decided)
	if err != nil {
		return 0, err
	}
	t.enter(State(decision.State))
	return id, nil
}

// laneOf is the lane that the rules chose.
func laneOf(d rules.Decision) Lane {
	if d.Backfill {
		return Backfill
	}
	return Live
}

// keepState changes the source's own memory.
func (t *tx) keepState(b viewing.Batch) error {
	for key, value := range b.State {
		var err error
		if value == nil {
			_, err = t.exec("DELETE FROM source_state WHERE source = ? AND key = ?", b.Source, key)
		} else {
			_, err = t.exec(`INSERT INTO source_state (source, key, value) VALUES (?, ?, ?)
				ON CONFLICT (source, key) DO UPDATE SET value = excluded.value`, b.Source, key, value)
		}
		if err != nil {
			return fmt.Errorf("keep state of source: %w", err)
		}
	}
	return nil
}

// State is what the source keeps here as its own memory.
func (s *Store) State(ctx context.Context, source string) (map[string][]byte, error) {
	type pair struct {
		key   string
		value []byte
	}
	rows, err := s.reader.QueryContext(ctx, "SELECT key, value FROM source_state WHERE source = ?", source)
	pairs, err := collect(rows, err, func(r *sql.Rows) (p pair, err error) {
		err = r.Scan(&p.key, &p.value)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("read state of source: %w", err)
	}
	state := make(map[string][]byte, len(pairs))
	for _, p := range pairs {
		state[p.key] = append([]byte{}, p.value...) // an empty value is not a missing one
	}
	return state, nil
}
