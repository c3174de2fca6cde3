package queue

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// recordVersion is the form of the lines of an export.
const recordVersion = 1

// Record is one line of an export: an event with what became of it.
type Record struct {
	V      int    `json:"v"`      // 1
	Source string `json:"source"` // its kind alone when only that is known
	// EventID names the event, also when only its name is left.
	EventID     string    `json:"eventId"`
	CommittedAt time.Time `json:"committedAt,omitzero"`
	// Event is the viewing.Viewing as it was committed; nil when the event
	// itself was trimmed and only its name is kept, with Content.
	Event   json.RawMessage `json:"event,omitempty"`
	Content string          `json:"content,omitempty"` // SHA-256 of a trimmed event, hexadecimal
	Entries []RecordEntry   `json:"entries,omitempty"`
}

// RecordEntry is one entry of a [Record].
type RecordEntry struct {
	Account   string          `json:"account"`
	Part      int             `json:"part"`
	Kind      viewing.Kind    `json:"kind"`
	State     viewing.State   `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Media     *viewing.Media  `json:"media,omitempty"`
	List      *viewing.List   `json:"list,omitempty"`
	Priority  *int            `json:"priority,omitempty"`
	WatchedAt viewing.Instant `json:"watchedAt,omitzero"`
	Class     viewing.Class   `json:"class,omitempty"`
	Attempts  int             `json:"attempts,omitempty"`
	Revision  int             `json:"revision,omitempty"`
	RemoteID  string          `json:"remoteId,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	SettledAt time.Time       `json:"settledAt,omitzero"`
}

// exportPage is how many events are held in memory at once.
const exportPage = 200

// Export writes everything that was ever reported, with what became of it, as
// one [Record] a line, and returns the number of lines. It holds a page in
// memory, and each line is as of one moment; what is committed meanwhile may
// be missing. No key is kept here, so none can be in it.
func (s *Store) Export(ctx context.Context, w io.Writer) (lines int64, err error) {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	write := func(records []Record) error {
		for _, r := range records {
			if err := encoder.Encode(r); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			lines++
		}
		return nil
	}
	for last, more := int64(0), true; more; {
		page, err := s.exportEvents(ctx, &last)
		if err != nil {
			return lines, fmt.Errorf("export events: %w", err)
		}
		if err := write(page); err != nil {
			return lines, err
		}
		more = len(page) == exportPage
	}
	for last, more := "", true; more; {
		page, err := s.exportNames(ctx, &last)
		if err != nil {
			return lines, fmt.Errorf("export names of events: %w", err)
		}
		if err := write(page); err != nil {
			return lines, err
		}
		more = len(page) == exportPage
	}
	if err := out.Flush(); err != nil {
		return lines, fmt.Errorf("export: %w", err)
	}
	return lines, nil
}

const selectExported = "SELECT " + entry.Columns + " FROM " + schema.MadeOf + " WHERE v.id > ? AND v.id <= ? ORDER BY v.id" // and n.id, by the way it is read

// exportEvents reads the next page of events after *last, which it moves on.
func (s *Store) exportEvents(ctx context.Context, last *int64) ([]Record, error) {
	moment, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, disk.StorageError(err)
	}
	defer moment.Rollback()
	first := *last
	of := make(map[string]int, exportPage)
	rows, err := moment.QueryContext(ctx, "SELECT id, source, event_id, committed_at, body FROM events WHERE id > ? ORDER BY id LIMIT ?",
		first, exportPage)
	page, err := disk.Collect(rows, err, func(r *sql.Rows) (Record, error) {
		c := Record{V: recordVersion}
		var at int64
		var body string
		err := r.Scan(last, &c.Source, &c.EventID, &at, &body)
		c.CommittedAt, c.Event = schema.Time(at), json.RawMessage(body)
		of[schema.EventKey(viewing.SourceKind(c.Source), c.EventID)] = len(of)
		return c, err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	rows, err = moment.QueryContext(ctx, selectExported, first, *last)
	_, err = disk.Collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		e, err := entry.Scan(r)
		if i, ok := of[schema.EventKey(viewing.SourceKind(e.Source), e.EventID)]; ok && err == nil {
			page[i].Entries = append(page[i].Entries, recordEntry(e))
		}
		return struct{}{}, err
	})
	return page, err
}

func recordEntry(e Entry) RecordEntry {
	return RecordEntry{
		Account: e.Account, Part: e.Part, Kind: e.Kind, State: e.State, Reason: e.Reason,
		Media: e.Media, List: e.List, Priority: e.Priority, WatchedAt: e.WatchedAt.Instant, Class: e.Class,
		Attempts: e.Attempts, Revision: e.Revision, RemoteID: e.RemoteID, CreatedAt: e.CreatedAt, SettledAt: e.SettledAt,
	}
}

// exportNames reads the next page of events of which only the name is left,
// after *last, which it moves on.
func (s *Store) exportNames(ctx context.Context, last *string) ([]Record, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT d.key, d.content FROM dedupe AS d
		WHERE d.key > ? AND NOT EXISTS (SELECT 1 FROM events AS v WHERE v.id = d.event) ORDER BY d.key LIMIT ?`,
		*last, exportPage)
	return disk.Collect(rows, err, func(r *sql.Rows) (Record, error) {
		c := Record{V: recordVersion}
		var content []byte
		err := r.Scan(last, &content)
		c.Source, c.EventID, _ = strings.Cut(*last, ":")
		c.Content = hex.EncodeToString(content)
		return c, err
	})
}
