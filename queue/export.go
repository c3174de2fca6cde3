package queue

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/transfer"
	"github.com/filmspool/filmspool/queue/viewing"
)

// exportRecord is one line of an export: an event with its entries.
type exportRecord struct {
	V           int             `json:"v"` // 1
	Source      string          `json:"source,omitempty"`
	EventID     string          `json:"eventId,omitempty"`
	CommittedAt time.Time       `json:"committedAt,omitzero"`
	Event       json.RawMessage `json:"event,omitempty"`      // the [viewing.Event] as it was committed
	Unreadable  int64           `json:"unreadable,omitempty"` // the id of an event that cannot be read; no other field is set
	Entries     []Entry         `json:"entries,omitempty"`
}

// Export writes every event with its entries, one JSON object per line; with a filter, the events
// that have a matching entry. Each line is consistent in itself, and events committed during the
// export are included. If the file is damaged, a line names each event that cannot be read. The
// database contains no keys.
func (s *Store) Export(ctx context.Context, f entry.Filter, w io.Writer) (err error) {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for id, newest := int64(1), int64(0); err == nil; id++ {
		if id > newest {
			if newest, _, err = s.readNumber(ctx, "find newest event", "SELECT coalesce(max(id), 0) FROM events"); err != nil || id > newest {
				break
			}
		}
		record, found := s.readExport(ctx, id, f)
		if err = ctx.Err(); found && err == nil {
			err = encoder.Encode(record)
		}
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// readExport reads an event for the export; found is false if none exists or it does not match.
func (s *Store) readExport(ctx context.Context, id int64, f entry.Filter) (record exportRecord, found bool) {
	query, args := "SELECT source, event_id, committed_at, body FROM events AS v WHERE id = ?", []any{id}
	if f.HasCondition() {
		where, values, err := whereClause(f)
		if err != nil {
			return exportRecord{V: 1, Unreadable: id}, true
		}
		query, args = query+" AND EXISTS (SELECT 1 FROM entries AS n WHERE n.event = v.id"+where+")", append(args, values...)
	}
	events, err := read(ctx, s, "read event", func(r *sql.Rows) (c exportRecord, err error) {
		var at int64
		var body string
		err = r.Scan(&c.Source, &c.EventID, &at, &body)
		c.V, c.CommittedAt, c.Event = 1, millis(at), json.RawMessage(body)
		return c, err
	}, query, args...)
	entries, bad := read(ctx, s, "read entries", scanEntry, "SELECT "+entryColumns+" FROM events AS v JOIN entries AS n ON n.event = v.id WHERE v.id = ? ORDER BY n.id", id)
	switch {
	case err != nil || bad != nil:
		return exportRecord{V: 1, Unreadable: id}, true
	case len(events) == 0:
		return record, false
	}
	events[0].Entries = entries
	return events[0], true
}

// recordPage is how many entries [Store.Records] reads at once.
const recordPage = 1000

// selectRecords selects entries for [Store.Records], with whether there is an earlier viewing of
// the item, and the list of a list item.
const selectRecords = "SELECT " + entryColumns + `, EXISTS (
		SELECT 1 FROM entries AS o WHERE o.account = n.account AND o.item_key = n.item_key AND o.item_key <> '' AND o.kind = 'viewing'
		AND o.happened_at <= n.happened_at AND (o.happened_at < n.happened_at OR o.id < n.id) AND o.state <> 'dropped' AND o.state <> 'merged'),
	(SELECT l.list FROM entries AS l WHERE l.id = n.after)
	FROM entries AS n JOIN events AS v ON v.id = n.event WHERE n.kind = ?`

// Records returns the entries that match a filter, with all known titles: viewings, the oldest
// first, then the watchlist, then the items of lists, list by list. Dropped and merged entries
// are left out.
func (s *Store) Records(ctx context.Context, f entry.Filter) iter.Seq2[transfer.Record, error] {
	f.Kept, f.ByTime = true, true
	return func(yield func(transfer.Record, error) bool) {
		for _, kind := range []viewing.Kind{viewing.KindViewing, viewing.KindWatchlist, viewing.KindListItem} {
			end := entry.Position{At: math.MinInt64}
			for more := true; more; {
				page, err := s.readRecords(ctx, kind, f, &end)
				if err != nil {
					yield(transfer.Record{}, err)
					return
				}
				for _, r := range page {
					if !yield(r, nil) {
						return
					}
				}
				more = len(page) == recordPage
			}
		}
	}
}

// readRecords reads the next page of records of a kind, and moves end to the last one.
func (s *Store) readRecords(ctx context.Context, kind viewing.Kind, f entry.Filter, end *entry.Position) (page []transfer.Record, err error) {
	where, args, err := whereClause(f)
	if err != nil {
		return nil, err
	}
	order := "n.happened_at"
	if kind == viewing.KindListItem {
		order = "n.after"
	}
	query := selectRecords + where + " AND " + order + " >= ? AND (" + order + " > ? OR n.id > ?) ORDER BY " + order + ", n.id LIMIT ?"
	entries, err := read(ctx, s, "read records", func(row *sql.Rows) (Entry, error) {
		r := transfer.Record{Kind: kind}
		e, err := scanEntryWith(row, &r.Rewatch, fromJSON{&r.List})
		page = append(page, r)
		return e, err
	}, query, slices.Concat([]any{string(kind)}, args, []any{end.At, end.At, end.ID, recordPage})...)
	if err == nil {
		err = s.FillTitles(ctx, entries)
	}
	for i, e := range entries {
		r := &page[i]
		r.Media, r.WatchedAt, r.Source, r.EventID = *e.Media, e.WatchedAt.Instant, viewing.SourceKind(e.Source), e.EventID
		if *end = e.Position(); kind == viewing.KindListItem {
			end.At = e.After
		}
	}
	return page, err
}
