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

	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// exportPage is how many records are held in memory at once.
const exportPage = 200

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

// Export writes everything that was ever reported, with what became of it, as
// one JSON object a line, and returns the number of lines. It holds a page in
// memory, and each line is as of one moment; what is committed meanwhile may
// be missing. An event that cannot be read, for the file is damaged, is named and passed
// over. No key is kept here, so none can be in it.
func (s *Store) Export(ctx context.Context, w io.Writer) (lines int64, err error) {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for first, newest := int64(0), int64(1); err == nil && first < newest; first += exportPage {
		if newest, _, err = s.readNumber(ctx, "find newest event", "SELECT coalesce(max(id), 0) FROM events"); err != nil {
			break
		}
		page, bad := s.exportEvents(ctx, first, first+exportPage)
		if bad != nil {
			page = s.exportOneByOne(ctx, first, min(first+exportPage, newest))
		}
		for _, record := range page {
			if err = errors.Join(err, encoder.Encode(record)); err == nil {
				lines++
			}
		}
		err = errors.Join(err, ctx.Err())
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return lines, fmt.Errorf("export: %w", sqlite.StorageError(err))
	}
	return lines, nil
}

// exportOneByOne reads the events after first, up to last, where not all can be read.
func (s *Store) exportOneByOne(ctx context.Context, first, last int64) (page []exportRecord) {
	for id := first + 1; id <= last; id++ {
		one, err := s.exportEvents(ctx, id-1, id)
		if err != nil {
			one = []exportRecord{{V: 1, Unreadable: id}}
		}
		page = append(page, one...)
	}
	return page
}

const selectExported = "SELECT " + entryColumns + " FROM events AS v JOIN entries AS n ON n.event = v.id WHERE v.id > ? AND v.id <= ? ORDER BY v.id, n.id"

// exportEvents reads the events after first, up to last.
func (s *Store) exportEvents(ctx context.Context, first, last int64) ([]exportRecord, error) {
	moment, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, sqlite.StorageError(err)
	}
	defer moment.Rollback()
	of := map[string]int{}
	rows, err := moment.QueryContext(ctx, "SELECT source, event_id, committed_at, body FROM events WHERE id > ? AND id <= ? ORDER BY id", first, last)
	page, err := sqlite.Collect(rows, err, func(r *sql.Rows) (exportRecord, error) {
		c := exportRecord{V: 1}
		var at int64
		var body string
		err := r.Scan(&c.Source, &c.EventID, &at, &body)
		c.CommittedAt, c.Event = millis(at), json.RawMessage(body)
		of[viewing.SourceKind(c.Source)+":"+c.EventID] = len(of)
		return c, err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	rows, err = moment.QueryContext(ctx, selectExported, first, last)
	_, err = sqlite.Collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		e, err := scanEntry(r)
		if i, ok := of[viewing.SourceKind(e.Source)+":"+e.EventID]; ok && err == nil {
			page[i].Entries = append(page[i].Entries, e)
		}
		return struct{}{}, err
	})
	return page, err
}
