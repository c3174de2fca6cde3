package sandbox

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
)

// listItemsPath is the path of the items of a list, as faults name it.
const listItemsPath = "/lists/{id}/items"

// listItems is a table that files of earlier versions lack.
const listItems = `CREATE TABLE IF NOT EXISTS list_items (
    id          INTEGER PRIMARY KEY,
    list        TEXT NOT NULL,      -- public_id
    type        TEXT NOT NULL,
    item        INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL
) STRICT`

// listOf is the id of the list whose items a path is for.
func listOf(path string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(path, "/lists/")
	if !ok {
		return "", false
	}
	id, ok = strings.CutSuffix(rest, "/items")
	if !ok || id == "" || strings.Contains(id, "/") {
		return "", false
	}
	id, err := url.PathUnescape(id)
	return id, err == nil
}

// listItem is an item of a list. One that is there already is put there again:
// the endpoint is documented by its success alone.
type listItem struct {
	list, kind string
	item       int64
}

func parseListItem(list string) func(object) (input, error) {
	return func(o object) (input, error) {
		f := &fields{object: o}
		l := listItem{list: list, kind: f.requiredOf("type", movie, tv)}
		if item := f.integer("id", 1); item != nil {
			l.item = *item
		} else {
			f.fail("id", "is required")
		}
		return l, f.fault
	}
}

func (l listItem) save(ctx context.Context, tx *sql.Tx, r request) (answer, error) {
	var lists int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM lists WHERE public_id = ?", l.list).Scan(&lists); err != nil {
		return answer{}, err
	}
	if lists == 0 {
		return answer{}, notFound()
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO list_items (list, type, item, received_at, idempotency_key) VALUES (?, ?, ?, ?, ?)",
		l.list, l.kind, l.item, r.at.UnixMilli(), r.key)
	return success(), err
}

// ListItemRecord is one item of a list.
type ListItemRecord struct {
	Record         int64  `json:"record"` // counts up in the order of recording
	List           string `json:"list"`   // the list's id
	Type           string `json:"type"`   // "movie" or "tv"
	ID             int64  `json:"id"`     // the item's identifier
	ReceivedAt     Stamp  `json:"receivedAt"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
}

const selectListItems = `SELECT id, list, type, item, received_at, idempotency_key FROM list_items`

func scanListItem(rows *sql.Rows) (r ListItemRecord, err error) {
	var received int64
	err = rows.Scan(&r.Record, &r.List, &r.Type, &r.ID, &received, &r.IdempotencyKey)
	r.ReceivedAt = stampOf(received)
	return r, err
}
