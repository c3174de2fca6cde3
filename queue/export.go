package queue

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
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
	Source      string          `json:"source"`
	EventID     string          `json:"eventId"`
	CommittedAt time.Time       `json:"committedAt"`
	Event       json.RawMessage `json:"event"` // the [viewing.Event] as it was committed
	Entries     []exportEntry   `json:"entries,omitempty"`
}

// exportEntry is one entry of an [exportRecord].
type exportEntry struct {
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

// Export writes everything that was ever reported, with what became of it, as
// one JSON object a line, and returns the number of lines. It holds a page in
// memory, and each line is as of one moment; what is committed meanwhile may
// be missing. No key is kept here, so none can be in it.
func (s *Store) Export(ctx context.Context, w io.Writer) (lines int64, err error) {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for last, more := int64(0), true; more; {
		page, err := s.exportEvents(ctx, &last)
		for _, record := range page {
			if err == nil {
				err = encoder.Encode(record)
				lines++
			}
		}
		if err != nil {
			return lines, fmt.Errorf("export: %w", err)
		}
		more = len(page) == exportPage
	}
	if err := out.Flush(); err != nil {
		return lines, fmt.Errorf("export: %w", err)
	}
	return lines, nil
}

const selectExported = "SELECT " + entryColumns + " FROM events AS v JOIN entries AS n ON n.event = v.id WHERE v.id > ? AND v.id <= ? ORDER BY v.id, n.id"

// exportEvents reads the next page of events after *last, which it moves on.
func (s *Store) exportEvents(ctx context.Context, last *int64) ([]exportRecord, error) {
	moment, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, sqlite.StorageError(err)
	}
	defer moment.Rollback()
	first := *last
	of := make(map[string]int, exportPage)
	rows, err := moment.QueryContext(ctx, "SELECT id, source, event_id, committed_at, body FROM events WHERE id > ? ORDER BY id LIMIT ?",
		first, exportPage)
	page, err := sqlite.Collect(rows, err, func(r *sql.Rows) (exportRecord, error) {
		c := exportRecord{V: 1}
		var at int64
		var body string
		err := r.Scan(last, &c.Source, &c.EventID, &at, &body)
		c.CommittedAt, c.Event = millis(at), json.RawMessage(body)
		of[viewing.SourceKind(c.Source)+":"+c.EventID] = len(of)
		return c, err
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	rows, err = moment.QueryContext(ctx, selectExported, first, *last)
	_, err = sqlite.Collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		e, err := scanEntry(r)
		if i, ok := of[viewing.SourceKind(e.Source)+":"+e.EventID]; ok && err == nil {
			page[i].Entries = append(page[i].Entries, recordEntry(e))
		}
		return struct{}{}, err
	})
	return page, err
}

func recordEntry(e Entry) exportEntry {
	return exportEntry{
		Account: e.Account, Part: e.Part, Kind: e.Kind, State: e.State, Reason: e.Reason,
		Media: e.Media, List: e.List, Priority: e.Priority, WatchedAt: e.WatchedAt.Instant, Class: e.Class,
		Attempts: e.Attempts, Revision: e.Revision, RemoteID: e.RemoteID, CreatedAt: e.CreatedAt, SettledAt: e.SettledAt,
	}
}
