package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/entry"
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

// Explain tells all about one entry. It returns an error wrapping [entry.ErrNotFound]
// when there is none.
func (s *Store) Explain(ctx context.Context, id int64) (x entry.Explanation, err error) {
	what := fmt.Sprintf("explain entry %d", id)
	entries, err := read(ctx, s, what, scanEntry, "SELECT "+entryColumns+" FROM entries AS n JOIN events AS v ON v.id = n.event "+
		"WHERE n.id IN (?1, ("+selectAhead+")) ORDER BY n.id <> ?1", id)
	switch {
	case err != nil:
		return x, err
	case len(entries) == 0:
		return x, fmt.Errorf("%s: %w", what, entry.Missing(id))
	case len(entries) > 1:
		x.Ahead = entries[1]
	}
	x.Entry = entries[0]
	if x.Events, err = read(ctx, s, what, scanWitness, `SELECT v.source, v.event_id, v.committed_at, v.body FROM (
			SELECT event FROM entries WHERE id = ?1 UNION ALL SELECT event FROM witnesses WHERE entry = ?1
		) AS seen JOIN events AS v ON v.id = seen.event ORDER BY v.id <> (SELECT event FROM entries WHERE id = ?1), v.id`, id); err != nil {
		return x, err
	}
	if x.Steps, err = read(ctx, s, what, scanStep, selectSteps, id); err != nil {
		return x, err
	}
	x.Requests, err = read(ctx, s, what, scanAttempt, "SELECT number, at, ended_at, sent, status, code, answer, cause FROM attempts WHERE entry = ? ORDER BY number", id)
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
