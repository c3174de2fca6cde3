package queue

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Answered lists up to n viewings, the newest first, that the service has
// answered with 2xx to a request since then.
func (s *Store) Answered(ctx context.Context, account string, since time.Time, n int) ([]entry.Sent, error) {
	return read(ctx, s, "list answered entries", scanSent, "SELECT "+entryColumns+`, a.at, a.owner FROM entries AS n JOIN events AS v ON v.id = n.event
		JOIN attempts AS a ON a.entry = n.id AND a.number = (SELECT max(number) FROM attempts WHERE entry = n.id)
		WHERE n.account = ? AND n.state = 'delivered' AND n.kind = 'viewing' AND a.status BETWEEN 200 AND 299 AND a.at >= ?
		ORDER BY n.id DESC LIMIT ?`, account, since.UnixMilli(), n)
}

// Claims lists the account's entries about items, by their keys, that account
// for records of the service: delivered ones, and those that the user dropped
// after a request.
func (s *Store) Claims(ctx context.Context, account string, keys []string) ([]Entry, error) {
	return read(ctx, s, "list claims", scanEntry, "SELECT "+entryColumns+` FROM entries AS n JOIN events AS v ON v.id = n.event
		WHERE n.account = ? AND n.item_key IN (SELECT value FROM json_each(?)) AND n.kind = 'viewing'
		AND (n.state = 'delivered' OR n.state = 'dropped' AND n.attempts > 0)`, account, jsonArray(keys))
}

// WatchedSince reports whether an item, or an episode of a series, was seen
// since then, as far as the queue has heard.
func (s *Store) WatchedSince(ctx context.Context, account string, m viewing.Media, since time.Time) (bool, error) {
	prefix := fmt.Sprintf("%s:%d", viewing.Episode, m.IDs.TMDB)
	if m.Type != viewing.TV {
		prefix = m.Key()
	}
	_, found, err := s.readNumber(ctx, "look for viewings", `SELECT id FROM entries WHERE account = ? AND kind = 'viewing'
		AND (item_key = ?2 OR ?3 AND substr(item_key, 1, length(?2) + 1) = ?2 || ':') AND happened_at >= ?4
		AND state NOT IN ('dropped', 'rejected') LIMIT 1`, account, prefix, m.Type == viewing.TV, since.UnixMilli())
	return found, err
}

// Kin reads what belongs to an entry.
func (s *Store) Kin(ctx context.Context, id int64) (k entry.Kin, err error) {
	_, err = read(ctx, s, fmt.Sprintf("read kin of entry %d", id), func(row *sql.Rows) (struct{}, error) {
		var seconds float64
		var at sql.NullInt64
		err := row.Scan(&seconds, &at)
		k.Runtime = time.Duration(seconds * float64(time.Second))
		if at.Valid {
			k.Delivered = append(k.Delivered, millis(at.Int64))
		}
		return struct{}{}, err
	}, `SELECT max(coalesce(json_extract(v.body, '$.progress.duration'), 0.0), coalesce(json_extract(v.body, '$.origin.runtime'), 0.0)), o.watched_at
		FROM entries AS n JOIN events AS v ON v.id = n.event
		LEFT JOIN entries AS o ON o.event = v.id AND o.account = n.account AND o.id <> n.id
			AND o.item_key = n.item_key AND o.state = 'delivered'
		WHERE n.id = ?`, id)
	return k, err
}
