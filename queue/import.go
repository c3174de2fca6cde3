package queue

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/export"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Import takes the lines that [Store.Export] wrote. An event that is known
// here already is passed over, so importing again does no harm. Delivered
// entries stay delivered and are never sent. What had not left is held as
// imported: the other queue may be sending it. What may have left is in doubt.
//
// Lines are taken in steps; a line that cannot be read, an error wrapping
// [viewing.ErrInvalid], ends the import after those before it. A dry run
// changes nothing.
func (s *Store) Import(ctx context.Context, r io.Reader, dry bool) (entry.Imported, error) {
	var sum entry.Imported
	lines := export.NewReader(r)
	for more := true; more; {
		page, err := lines.Read()
		more = len(page) > 0 && err == nil
		if kept := s.importPage(ctx, page, dry, &sum); kept != nil {
			return sum, fmt.Errorf("import up to line %d: %w", lines.Number, kept)
		}
		if err != nil {
			return sum, fmt.Errorf("import line %d: %w", lines.Number, err)
		}
	}
	return sum, nil
}

// importPage writes some lines in one transaction.
func (s *Store) importPage(ctx context.Context, page []export.Line, dry bool, sum *entry.Imported) error {
	if len(page) == 0 {
		return nil
	}
	after := *sum
	err := s.writeDry(ctx, dry, func(t *tx) error {
		after = *sum // the writer may have to begin again
		for _, a := range page {
			after.Lines++
			if err := t.importRecord(a, &after); err != nil {
				return fmt.Errorf("event %s: %w", a.EventID, err)
			}
		}
		return nil
	})
	if err == nil {
		*sum = after
	}
	return err
}

// importRecord writes one event, unless it is known.
func (t *tx) importRecord(a export.Line, sum *entry.Imported) error {
	was, err := t.earlier(a.Kind, a.EventID)
	switch {
	case err != nil:
		return err
	case was != nil && bytes.Equal(was.content, a.Sum):
		sum.Known++
		return nil
	case was != nil:
		sum.Conflicts++
		return nil
	}
	sum.Events++
	event, first := int64(0), sql.NullInt64{}
	if a.Body != nil {
		if event, first, err = t.importEvent(a, sum); err != nil {
			return err
		}
	}
	_, err = t.Exec("INSERT INTO dedupe (key, content, event, entry) VALUES (?, ?, ?, ?)",
		schema.EventKey(a.Kind, a.EventID), a.Sum, event, first)
	return err
}

// importEvent writes an event with its entries, or as a witness of earlier
// ones that are here.
func (t *tx) importEvent(a export.Line, sum *entry.Imported) (id int64, first sql.NullInt64, err error) {
	e := event{Event: a.Seen, source: a.Source, kind: a.Kind, body: a.Body}
	id, err = t.insertEvent(e, len(a.Entries), a.CommittedAt.UnixMilli())
	if err != nil {
		return id, first, err
	}
	var entries []int64
	if len(a.Entries) == 0 {
		entries, err = t.importWitness(e, id)
	}
	for _, e := range a.Entries {
		entry, err := t.importEntry(e, id, sum)
		if err != nil {
			return id, first, err
		}
		entries = append(entries, entry)
		if a.Seen.InList == "" {
			continue
		}
		lists, err := t.listsNamed(a.Kind, a.Seen.InList)
		for _, l := range lists {
			if err == nil && l.account == e.Account {
				err = t.waitFor(entry, l.list)
			}
		}
		if err != nil {
			return id, first, err
		}
	}
	if len(entries) > 0 {
		first = sql.NullInt64{Int64: entries[0], Valid: true}
	}
	return id, first, err
}

// importWitness joins an event to the entries of the earlier one that it is
// another sighting of, where that is here.
func (t *tx) importWitness(e event, event int64) ([]int64, error) {
	same, err := t.sameAs(e)
	if err != nil || same == nil {
		return nil, err
	}
	entries, err := t.entriesOf(same.event)
	if err != nil {
		return nil, err
	}
	return entries, t.witness(e, event, entries)
}

// importEntry writes one entry.
func (t *tx) importEntry(e export.Entry, event int64, sum *entry.Imported) (int64, error) {
	state, reason, why := e.Arrives()
	id, err := t.insertEntry(event, Entry{
		Account: e.Account, Part: e.Part, Kind: e.Kind, Media: e.Media, List: e.List, Priority: e.Priority,
		WatchedAt: entry.Moment{Instant: e.WatchedAt}, Class: e.Class, Revision: e.Revision, CreatedAt: e.CreatedAt,
		State: state, Reason: reason, Lane: viewing.LaneBackfill,
	}, []string{why})
	if err != nil {
		return 0, err
	}
	settled := sql.NullInt64{Int64: e.SettledAt.UnixMilli(), Valid: state.Finished() && !e.SettledAt.IsZero()}
	_, err = t.Exec("UPDATE entries SET attempts = ?, remote_id = nullif(?, ''), settled_at = ? WHERE id = ?",
		e.Attempts, e.RemoteID, settled, id)
	if err != nil {
		return 0, err
	}
	if state == viewing.StateInDoubt {
		if err := t.doubtful(id, schema.Time(t.now)); err != nil {
			return 0, err
		}
	}
	sum.Entries++
	switch {
	case state == viewing.StateInDoubt:
		sum.InDoubt++
	case state == viewing.StateHeld && reason == viewing.ReasonImported:
		sum.Held++
	}
	return id, nil
}
