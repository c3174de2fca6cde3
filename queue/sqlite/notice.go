package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Notice is a message to the user about the database, stored until it is acknowledged.
type Notice struct {
	ID   int64           `json:"id"`
	At   time.Time       `json:"at"`
	What viewing.Message `json:"what"`
}

// noticeKey returns the key of a notice in the table meta.
func noticeKey(id int64) string { return fmt.Sprintf("notice:%d", id) }

// Notices returns the stored notices, the oldest first.
func (db *DB) Notices(ctx context.Context) ([]Notice, error) {
	notices, err := Read(ctx, db, func(r *sql.Rows) (n Notice, err error) {
		var id int64
		var text string
		if err := r.Scan(&id, &text); err != nil {
			return n, err
		}
		if json.Unmarshal([]byte(text), &n) != nil {
			n = Notice{What: viewing.Say("notice.damagedNotice")}
		}
		n.ID = id // so that a damaged notice can be acknowledged, too
		return n, nil
	}, "SELECT CAST(substr(key, 8) AS INTEGER), value FROM meta WHERE key GLOB 'notice:*' ORDER BY 1")
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	return notices, nil
}

// Acknowledge deletes a notice; found is false if none exists with that id.
func (t *Tx) Acknowledge(id int64) (found bool, err error) {
	gone, err := t.Affect("DELETE FROM meta WHERE key = ?", noticeKey(id))
	return gone > 0, err
}

// Notify stores a notice with a new id and the time of the transaction.
func (t *Tx) Notify(n Notice) error {
	_, err := t.Find("SELECT coalesce(max(CAST(substr(key, 8) AS INTEGER)), 0) + 1 FROM meta WHERE key GLOB 'notice:*'",
		nil, &n.ID)
	if err != nil {
		return err
	}
	n.At = time.UnixMilli(t.Now).UTC()
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("write notice: %w", err)
	}
	_, err = t.Exec("INSERT INTO meta (key, value) VALUES (?, ?)", noticeKey(n.ID), string(text))
	return err
}
