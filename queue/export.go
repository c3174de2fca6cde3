package queue

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// exportRecord is one line of an export: an event with what became of it.
type exportRecord struct {
	V           int             `json:"v"` // 1
	Source      string          `json:"source,omitempty"`
	EventID     string          `json:"eventId,omitempty"`
	CommittedAt time.Time       `json:"committedAt,omitzero"`
	Event       json.RawMessage `json:"event,omitempty"`      // the [viewing.Event] as it was committed
	Unreadable  int64           `json:"unreadable,omitempty"` // which event of the file cannot be read; nothing else is set then
	Entries     []Entry         `json:"entries,omitempty"`
}

// Export writes everything that was ever reported, with what became of it, as one JSON
// object a line. Each line is as of one moment; what is committed meanwhile is written,
// too. An event that cannot be read, for the file is damaged, is named and passed over.
// No key is kept here, so none can be in it.
func (s *Store) Export(ctx context.Context, w io.Writer) (err error) {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for id, newest := int64(1), int64(0); err == nil; id++ {
		if id > newest {
			if newest, _, err = s.readNumber(ctx, "find newest event", "SELECT coalesce(max(id), 0) FROM events"); err != nil || id > newest {
				break
			}
		}
		record, found := s.exported(ctx, id)
		if err = ctx.Err(); found && err == nil {
			err = encoder.Encode(record)
		}
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// exported reads an event for the export; found is false where there is none.
func (s *Store) exported(ctx context.Context, id int64) (record exportRecord, found bool) {
	events, err := read(ctx, s, "read event", func(r *sql.Rows) (c exportRecord, err error) {
		var at int64
		var body string
		err = r.Scan(&c.Source, &c.EventID, &at, &body)
		c.V, c.CommittedAt, c.Event = 1, millis(at), json.RawMessage(body)
		return c, err
	}, "SELECT source, event_id, committed_at, body FROM events WHERE id = ?", id)
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
