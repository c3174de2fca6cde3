package entry

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Explanation is all that is known about one entry.
type Explanation struct {
	Entry
	Ahead    Entry     `json:"-"`        // what a pending entry waits for; its ID is 0 for none
	Events   []Witness `json:"events"`   // what was seen: first the event it was made from
	Steps    []Step    `json:"steps"`    // which rule did what, in order
	Requests []Attempt `json:"requests"` // every request and its answer, in order
}

// Witness is one event that reported what an entry tells.
type Witness struct {
	At      time.Time     `json:"at"` // committed
	Source  string        `json:"source"`
	EventID string        `json:"eventId"`
	Seen    viewing.Event `json:"seen"` // as it was committed
}

// Step is one thing that was decided about an entry.
type Step struct {
	At     time.Time `json:"at"`
	What   string    `json:"what"`   // one word, such as "rule" or "amended"
	Detail string    `json:"detail"` // one plain sentence
}

// Attempt is one request.
type Attempt struct {
	Number int       `json:"-"` // from 1
	At     time.Time `json:"at"`
	Ended  time.Time `json:"-"`                // zero while it is under way
	Status int       `json:"status,omitempty"` // HTTP status; 0 without an answer
	Code   string    `json:"-"`                // the service's error code
	Error  string    `json:"error,omitempty"`
	Answer string    `json:"answer,omitempty"`
	Sent   bool      `json:"-"` // false when it is certain that nothing left
}

// selectSteps reads what was decided when the entry was made, then the rest.
const selectSteps = `SELECT at, what, detail FROM (
		SELECT 0 AS stage, s.key AS number, n.created_at AS at, 'rule' AS what, s.value AS detail
		FROM entries AS n JOIN json_each(n.decided) AS s WHERE n.id = ?1
		UNION ALL SELECT 1, number, at, what, detail FROM steps WHERE entry = ?1
	) ORDER BY stage, number`

// selectAhead finds what a pending entry waits for: the one that must arrive
// first, or the eldest about the same item.
const selectAhead = `SELECT coalesce(
		(SELECT first.id FROM entries AS first WHERE first.id = n.after AND first.state NOT IN ('delivered', 'merged')),
		(SELECT elder.id` + schema.Elders + ` ORDER BY elder.happened_at, elder.id LIMIT 1))
	FROM entries AS n WHERE n.id = ?1 AND n.state = 'pending'`

// Explain tells all about one entry, as of one moment. It returns an error
// wrapping [ErrNotFound] when there is none.
func (r *Reader) Explain(ctx context.Context, id int64) (Explanation, error) {
	x, err := r.explain(ctx, id)
	if err != nil {
		return Explanation{}, fmt.Errorf("explain entry %d: %w", id, err)
	}
	return x, nil
}

func (r *Reader) explain(ctx context.Context, id int64) (x Explanation, err error) {
	moment, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return x, disk.StorageError(err)
	}
	defer moment.Rollback()
	rows, err := moment.QueryContext(ctx, "SELECT "+Columns+" FROM entries AS n JOIN events AS v ON v.id = n.event "+
		"WHERE n.id IN (?1, ("+selectAhead+")) ORDER BY n.id <> ?1", id)
	entries, err := disk.Collect(rows, err, Scan)
	if err != nil {
		return x, err
	}
	if len(entries) == 0 {
		return x, ErrNotFound
	}
	if x.Entry = entries[0]; len(entries) > 1 {
		x.Ahead = entries[1]
	}
	rows, err = moment.QueryContext(ctx, `SELECT v.source, v.event_id, v.committed_at, v.body FROM (
			SELECT event FROM entries WHERE id = ?1 UNION ALL SELECT event FROM witnesses WHERE entry = ?1
		) AS seen JOIN events AS v ON v.id = seen.event ORDER BY v.id <> (SELECT event FROM entries WHERE id = ?1), v.id`, id)
	if x.Events, err = disk.Collect(rows, err, scanWitness); err != nil {
		return x, err
	}
	rows, err = moment.QueryContext(ctx, selectSteps, id)
	if x.Steps, err = disk.Collect(rows, err, scanStep); err != nil {
		return x, err
	}
	rows, err = moment.QueryContext(ctx, `SELECT number, at, ended_at, sent, status, code, answer, error
		FROM attempts WHERE entry = ? ORDER BY number`, id)
	x.Requests, err = disk.Collect(rows, err, scanAttempt)
	return x, err
}

func scanWitness(r *sql.Rows) (w Witness, err error) {
	var at int64
	var body []byte
	err = r.Scan(&w.Source, &w.EventID, &at, &body)
	w.At = schema.Time(at)
	_ = json.Unmarshal(body, &w.Seen) // of a lost event nothing is known
	return w, err
}

func scanStep(r *sql.Rows) (step Step, err error) {
	var at int64
	err = r.Scan(&at, &step.What, &step.Detail)
	step.At = schema.Time(at)
	return step, err
}

func scanAttempt(r *sql.Rows) (a Attempt, err error) {
	var at int64
	var ended sql.NullInt64
	err = r.Scan(&a.Number, &at, &ended, &a.Sent, &a.Status, &a.Code, &a.Answer, &a.Error)
	a.At, a.Ended = schema.Time(at), schema.NullTime(ended)
	return a, err
}
