package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// selectSteps reads what was decided when the entry was made, then the rest.
const selectSteps = `SELECT at, code, from_state, reason, args, cause FROM (
		SELECT 0 AS stage, s.key AS number, n.created_at AS at, s.value ->> 'code' AS code, '' AS from_state, '' AS reason, s.value -> 'args' AS args, NULL AS cause
		FROM entries AS n JOIN json_each(n.decided) AS s WHERE n.id = ?1
		UNION ALL SELECT 1, number, at, code, from_state, reason, args, cause FROM steps WHERE entry = ?1
	) ORDER BY stage, number`

// elders are the entries about the item of entries AS n that happened before it,
// and may still be sent or may have arrived.
const elders = ` FROM entries AS elder
	WHERE elder.account = n.account AND elder.item_key = n.item_key AND elder.item_key <> ''
	AND (elder.state = 'pending' OR elder.state = 'sending' OR elder.state = 'in_doubt')
	AND (elder.happened_at, elder.id) < (n.happened_at, n.id)`

// selectAhead finds what a pending entry waits for: the one that must arrive
// first, or the eldest about the same item.
const selectAhead = `SELECT coalesce(
		(SELECT first.id FROM entries AS first WHERE first.id = n.after AND first.state NOT IN ('delivered', 'merged')),
		(SELECT elder.id` + elders + ` ORDER BY elder.happened_at, elder.id LIMIT 1))
	FROM entries AS n WHERE n.id = ?1 AND n.state = 'pending'`

// Explain tells all about one entry, as of one moment. It returns an error
// wrapping [entry.ErrNotFound] when there is none.
func (s *Store) Explain(ctx context.Context, id int64) (entry.Explanation, error) {
	x, err := s.explain(ctx, id)
	if err != nil {
		return entry.Explanation{}, fmt.Errorf("explain entry %d: %w", id, err)
	}
	return x, nil
}

func (s *Store) explain(ctx context.Context, id int64) (x entry.Explanation, err error) {
	moment, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return x, sqlite.StorageError(err)
	}
	defer moment.Rollback()
	rows, err := moment.QueryContext(ctx, "SELECT "+entryColumns+" FROM entries AS n JOIN events AS v ON v.id = n.event "+
		"WHERE n.id IN (?1, ("+selectAhead+")) ORDER BY n.id <> ?1", id)
	entries, err := sqlite.Collect(rows, err, scanEntry)
	if err != nil {
		return x, err
	}
	if len(entries) == 0 {
		return x, entry.Missing(id)
	}
	if x.Entry = entries[0]; len(entries) > 1 {
		x.Ahead = entries[1]
	}
	rows, err = moment.QueryContext(ctx, `SELECT v.source, v.event_id, v.committed_at, v.body FROM (
			SELECT event FROM entries WHERE id = ?1 UNION ALL SELECT event FROM witnesses WHERE entry = ?1
		) AS seen JOIN events AS v ON v.id = seen.event ORDER BY v.id <> (SELECT event FROM entries WHERE id = ?1), v.id`, id)
	if x.Events, err = sqlite.Collect(rows, err, scanWitness); err != nil {
		return x, err
	}
	rows, err = moment.QueryContext(ctx, selectSteps, id)
	if x.Steps, err = sqlite.Collect(rows, err, scanStep); err != nil {
		return x, err
	}
	rows, err = moment.QueryContext(ctx, `SELECT number, at, ended_at, sent, status, code, answer, cause
		FROM attempts WHERE entry = ? ORDER BY number`, id)
	x.Requests, err = sqlite.Collect(rows, err, scanAttempt)
	return x, err
}

func scanWitness(r *sql.Rows) (w entry.Witness, err error) {
	var at int64
	var body []byte
	err = r.Scan(&w.Source, &w.EventID, &at, &body)
	w.At = millis(at)
	_ = json.Unmarshal(body, &w.Seen) // of a lost event nothing is known
	return w, err
}

func scanStep(r *sql.Rows) (step entry.Step, err error) {
	var at int64
	err = r.Scan(&at, &step.Code, &step.From, &step.Reason, fromJSON{&step.Args}, fromJSON{&step.Cause})
	step.At = millis(at)
	return step, err
}

func scanAttempt(r *sql.Rows) (a entry.Attempt, err error) {
	var at int64
	var ended sql.NullInt64
	err = r.Scan(&a.Number, &at, &ended, &a.Sent, &a.Status, &a.Code, &a.Answer, fromJSON{&a.Cause})
	a.At, a.Ended = millis(at), nullTime(ended)
	return a, err
}
