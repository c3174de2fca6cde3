package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/export"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Export writes everything that was ever reported, with what became of it, as
// one [export.Record] a line, and returns the number of lines. It holds a page in
// memory, and each line is as of one moment; what is committed meanwhile may
// be missing. No key is kept here, so none can be in it.
func (s *Store) Export(ctx context.Context, w io.Writer) (lines int64, err error) {
	out, last := export.NewWriter(w), int64(0)
	for more := true; more; {
		page, err := s.exportEvents(ctx, &last)
		if err == nil {
			err = out.Write(page)
		}
		if err != nil {
			return out.Lines, fmt.Errorf("export: %w", err)
		}
		more = len(page) == export.Page
	}
	if err := out.Flush(); err != nil {
		return out.Lines, fmt.Errorf("export: %w", err)
	}
	return out.Lines, nil
}

const selectExported = "SELECT " + entry.Columns + " FROM " + schema.MadeOf + " WHERE v.id > ? AND v.id <= ? ORDER BY v.id" // and n.id, by the way it is read

// exportEvents reads the next page of events after *last, which it moves on.
func (s *Store) exportEvents(ctx context.Context, last *int64) ([]export.Record, error) {
	moment, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, disk.StorageError(err)
	}
	defer moment.Rollback()
	first := *last
	of := make(map[string]int, export.Page)
	rows, err := moment.QueryContext(ctx, "SELECT id, source, event_id, committed_at, body FROM events WHERE id > ? ORDER BY id LIMIT ?",
		first, export.Page)
	page, err := disk.Collect(rows, err, func(r *sql.Rows) (export.Record, error) {
		c := export.Record{V: export.Version}
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

func recordEntry(e Entry) export.Entry {
	return export.Entry{
		Account: e.Account, Part: e.Part, Kind: e.Kind, State: e.State, Reason: e.Reason,
		Media: e.Media, List: e.List, Priority: e.Priority, WatchedAt: e.WatchedAt.Instant, Class: e.Class,
		Attempts: e.Attempts, Revision: e.Revision, RemoteID: e.RemoteID, CreatedAt: e.CreatedAt, SettledAt: e.SettledAt,
	}
}
