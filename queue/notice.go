package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Notice is something about the database that a person should know, kept
// until it is acknowledged.
type Notice struct {
	ID   int64     `json:"id"`
	At   time.Time `json:"at"`
	Text string    `json:"text"` // what happened, in plain sentences
	Hint string    `json:"hint"` // a command to type
}

// noticeKey is the key of a notice in meta.
func noticeKey(id int64) string { return fmt.Sprintf("notice:%d", id) }

// Notices lists what has not been acknowledged, the oldest first.
func (s *Store) Notices(ctx context.Context) ([]Notice, error) {
	rows, err := s.reader.QueryContext(ctx,
		"SELECT value FROM meta WHERE key GLOB 'notice:*' ORDER BY CAST(substr(key, 8) AS INTEGER)")
	notices, err := collect(rows, err, func(r *sql.Rows) (n Notice, err error) {
		var text string
		if err := r.Scan(&text); err != nil {
			return n, err
		}
		return n, json.Unmarshal([]byte(text), &n)
	})
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	return notices, nil
}

// Acknowledge forgets a notice. It returns an error wrapping [ErrNotFound]
// when there is none of that id.
func (s *Store) Acknowledge(ctx context.Context, id int64) error {
	err := s.write(ctx, func(t *tx) error {
		gone, err := t.affect("DELETE FROM meta WHERE key = ?", noticeKey(id))
		if err == nil && gone == 0 {
			return ErrNotFound
		}
		t.nudge = true
		return err
	})
	if err != nil {
		return fmt.Errorf("acknowledge notice %d: %w", id, err)
	}
	return nil
}

// notify keeps a notice; its id and time are given here.
func (t *tx) notify(n Notice) error {
	_, err := t.find("SELECT coalesce(max(CAST(substr(key, 8) AS INTEGER)), 0) + 1 FROM meta WHERE key GLOB 'notice:*'",
		nil, &n.ID)
	if err != nil {
		return err
	}
	n.At = readTime(t.now)
	text, err := writeJSON(n)
	if err != nil {
		return err
	}
	_, err = t.exec("INSERT INTO meta (key, value) VALUES (?, ?)", noticeKey(n.ID), text)
	return err
}
