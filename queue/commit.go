package queue

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/schema"
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
// [viewing.ErrInvalid]; trouble with the disk is [disk.ErrStorage]. Repeating a
// batch is harmless. An amendment reaches events of every source of the same
// kind, for their ids are one space; of an unknown event it is passed over.
func (s *Store) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	sightings, err := read(b)
	if err != nil {
		return nil, err
	}
	var outcomes []viewing.Outcome
	err = s.write(ctx, func(t *tx) error {
		outcomes = make([]viewing.Outcome, 0, len(sightings))
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
	switch {
	case errors.Is(err, disk.ErrStorage):
		s.file.Refused(len(b.Viewings))
		return nil, err
	case err != nil:
		return nil, err
	case len(b.Viewings) > 0:
		s.file.Taken()
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
	kept, err := t.keep(e)
	if err != nil || kept.fresh {
		if o.Entries = kept.entries; kept.ignored != "" {
			o.Status, o.Reason = viewing.StatusDropped, kept.ignored
		}
		return o, err
	}
	was, err := t.earlier(e.kind, e.EventID)
	switch {
	case err != nil:
		return o, err
	case was == nil:
		return o, errors.New("a name is taken and yet unknown")
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

// keep writes a new event with its entries, or as a witness of earlier ones.
// The name goes first: whether it is taken tells whether the event is new.
func (t *tx) keep(e sighting) (k keeping, err error) {
	same, err := t.sameAs(e)
	if err == nil && same != nil {
		same, err = t.stillSame(e, same)
	}
	if err != nil {
		return keeping{}, err
	}
	var drafts []draft
	if same == nil {
		drafts, err = t.draft(e)
	} else {
		k.entries, err = t.entriesOf(same.event)
	}
	if err != nil {
		return keeping{}, err
	}
	parts := len(drafts)
	if met := joined(drafts); met != nil {
		k.entries, parts = met, 0
	}
	if err := t.countIDs(); err != nil {
		return keeping{}, err
	}
	event, first := t.newest.event+1, sql.NullInt64{}
	switch {
	case parts > 0:
		first = sql.NullInt64{Int64: t.newest.entry + 1, Valid: true}
	case len(k.entries) > 0:
		first = sql.NullInt64{Int64: k.entries[0], Valid: true}
	}
	taken, err := t.Affect("INSERT INTO dedupe (key, content, event, entry) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
		schema.EventKey(e.kind, e.EventID), e.content, event, first)
	if err != nil || taken == 0 {
		return keeping{}, err
	}
	if _, err := t.insertEvent(e, parts, t.now); err != nil {
		return keeping{}, err
	}
	k.fresh = true
	if same != nil {
		return k, t.witness(e, event, k.entries)
	}
	k.ignored = ignored(drafts)
	k.entries, err = t.makeParts(e, event, drafts, parts > 0)
	return k, err
}

// newest are the greatest ids that were given, 0 before they were looked up.
// Whoever writes next gets the ones after them.
type newest struct {
	known        bool
	event, entry int64
}

// countIDs looks the newest ids up where they are not known.
func (t *tx) countIDs() error {
	if t.newest.known {
		return nil
	}
	_, err := t.Find(`SELECT (SELECT coalesce(max(id), 0) FROM events), (SELECT coalesce(max(id), 0) FROM entries)`,
		nil, &t.newest.event, &t.newest.entry)
	t.newest.known = err == nil
	return err
}

// insertEvent writes an event of which a number of entries is about to be made.
func (t *tx) insertEvent(e sighting, parts int, at int64) (event int64, err error) {
	if err := t.countIDs(); err != nil {
		return 0, err
	}
	entry := sql.NullInt64{Int64: t.newest.entry + 1, Valid: parts > 0}
	event, err = t.InsertSealed(`INSERT INTO events (source, source_kind, event_id, body, entry, parts, committed_at, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, 7, e.source, e.kind, e.EventID, string(e.body), entry, parts, at)
	if err == nil && event != t.newest.event+1 {
		err = fmt.Errorf("event got number %d after %d", event, t.newest.event)
	}
	t.newest.event = event
	return event, err
}

// insertEntry writes an entry; columns are those of the statement.
func (t *tx) insertEntry(columns ...any) (entry int64, err error) {
	if err := t.countIDs(); err != nil {
		return 0, err
	}
	entry, err = t.InsertSealed(`INSERT INTO entries (event, account, part, kind, media, list, item_key, priority, watched_at,
			watched_text, watched_offset, watched_precision, class, revision, created_at,
			state, reason, lane, next_at, decided, sum)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, 15, columns...)
	if err == nil && entry != t.newest.entry+1 {
		err = fmt.Errorf("entry got number %d after %d", entry, t.newest.entry)
	}
	t.newest.entry = entry
	return entry, err
}

// sameAs is the earlier event that e is another sighting of; nil when it names
// none that is known.
func (t *tx) sameAs(e sighting) (*known, error) {
	if e.SameAs == "" {
		return nil, nil
	}
	return t.earlier(e.kind, e.SameAs)
}

// witness joins an event to the entries of the earlier one that it is another
// sighting of.
func (t *tx) witness(e sighting, event int64, entries []int64) error {
	detail := fmt.Sprintf("Seen again by %s as event %s: the same playback, so nothing is added.", e.source, e.EventID)
	for _, entry := range entries {
		if _, err := t.Exec("INSERT INTO witnesses (event, entry) VALUES (?, ?)", event, entry); err != nil {
			return err
		}
		if err := t.step(entry, "sighting", detail); err != nil {
			return err
		}
	}
	t.nudge = true
	return nil
}

// entriesOf lists the entries that an event became, or became part of.
func (t *tx) entriesOf(event int64) ([]int64, error) {
	rows, err := t.Query("SELECT n.id FROM "+schema.MadeOf+` WHERE v.id = ?1
		UNION SELECT entry FROM witnesses WHERE event = ?1 ORDER BY 1`, event)
	return disk.Collect(rows, err, disk.ScanID)
}

// parts are the items that an event asks for, one for each request; nil stands
// for a list.
func (e *sighting) parts() []*viewing.Media {
	items := make([]*viewing.Media, len(e.Media))
	for i := range e.Media {
		items[i] = &e.Media[i]
	}
	switch e.Kind {
	case viewing.KindViewing:
		return slices.Repeat(items, e.Count)
	case viewing.KindList:
		return []*viewing.Media{nil}
	default:
		return items
	}
}

// draft is an entry in the making: what the rules say of one item of an event,
// and which other entries are the same playback.
type draft struct {
	rules.Decision
	part int
	item *viewing.Media
	list *listEntry // it waits for this one; items of lists only
	into *seen      // it is merged into this one; nil for none
	over []*seen    // these are merged into it
}

// draft decides about the parts of an event.
func (t *tx) draft(e sighting) ([]draft, error) {
	parts := e.parts()
	drafts := make([]draft, len(parts))
	for part, item := range parts {
		drafts[part] = t.decide(e, part, item)
		var err error
		if drafts[part].list, err = t.listOf(e, &drafts[part].Decision); err != nil {
			return nil, err
		}
	}
	return drafts, t.pair(e, drafts)
}

// decide asks the rules about one part.
func (t *tx) decide(e sighting, part int, item *viewing.Media) draft {
	return draft{Decision: rules.Decide(t.settings, e.source, e.Viewing, item, time.UnixMilli(t.now)), part: part, item: item}
}

// makeEntry writes one entry as the rules decided, with their reasons.
func (t *tx) makeEntry(e sighting, event int64, d draft) (int64, error) {
	media, key, err := writeMedia(e.Kind, d.item)
	if err != nil {
		return 0, err
	}
	list, err := writeList(e.List)
	if err != nil {
		return 0, err
	}
	decided, err := schema.JSON(d.Steps)
	if err != nil {
		return 0, err
	}
	at := writeInstant(e.WatchedAt)
	id, err := t.insertEntry(event, d.Account, d.part, string(e.Kind), media, list, key,
		e.Priority, at.millis, at.text, at.offset, at.precision, string(e.Class), 0, t.now,
		d.State, d.Reason, int(d.Lane), max(at.due(t.now), d.NotBefore.UnixMilli()), decided)
	if err != nil {
		return 0, err
	}
	t.made(d.State)
	if d.list != nil {
		if err := t.waitFor(id, d.list.id); err != nil {
			return 0, err
		}
	}
	switch d.State {
	case viewing.StateDropped, viewing.StateMerged:
		_, err = t.Exec("UPDATE entries SET settled_at = created_at WHERE id = ?", id)
	case viewing.StateHeld:
		err = t.askAbout(id, viewing.StateHeld, key)
	}
	return id, err
}

// keepState changes the source's own memory.
func (t *tx) keepState(b viewing.Batch) error {
	for key, value := range b.State {
		var err error
		if value == nil {
			_, err = t.Exec("DELETE FROM source_state WHERE source = ? AND key = ?", b.Source, key)
		} else {
			_, err = t.Exec(`INSERT INTO source_state (source, key, value) VALUES (?, ?, ?)
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
	pairs, err := disk.Collect(rows, err, func(r *sql.Rows) (p pair, err error) {
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
