package queue

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Counts returns the number of entries in each state. It does not scan the entries.
func (s *Store) Counts(ctx context.Context) (entry.Counts, error) {
	all, err := s.countsBy(ctx, "''")
	return all[""], err
}

// CountsOf returns the number of entries in each state, by account.
func (s *Store) CountsOf(ctx context.Context) (map[string]entry.Counts, error) {
	return s.countsBy(ctx, "account")
}

// countsBy sums the counters by an SQL expression. The JSON names of [entry.Counts] are the
// states.
func (s *Store) countsBy(ctx context.Context, by string) (map[string]entry.Counts, error) {
	all := map[string]entry.Counts{}
	_, err := read(ctx, s, "count entries", func(row *sql.Rows) (struct{}, error) {
		var account string
		var counts entry.Counts
		err := row.Scan(&account, fromJSON{&counts})
		all[account] = counts
		return struct{}{}, err
	}, "SELECT name, json_group_object(replace(state, '_doubt', 'Doubt'), n) FROM (SELECT "+by+" AS name, state, sum(current) AS n FROM counters GROUP BY 1, 2) GROUP BY 1")
	return all, err
}

// Unresolved returns how many of the account's held entries wait for a lookup.
func (s *Store) Unresolved(ctx context.Context, account string) (n int64, err error) {
	n, _, err = s.readNumber(ctx, "count lookups", "SELECT count(*) FROM lookups WHERE account = ?", account)
	return n, err
}

// Bursts returns the number of entries held as a burst for each source, the largest first.
func (s *Store) Bursts(ctx context.Context) ([]entry.Burst, error) {
	return read(ctx, s, "count bursts", func(r *sql.Rows) (w entry.Burst, err error) {
		err = r.Scan(&w.Source, &w.Held)
		return w, err
	}, `SELECT v.source, count(*) FROM entries AS n
		JOIN events AS v ON v.id = n.event WHERE n.state = 'held' AND n.reason = 'burst' GROUP BY v.source ORDER BY 2 DESC, 1`)
}

// isQuestion is the SQL condition for viewings without an identifier that a person is asked about
// one by one; bursts and bulk marks are decided together.
const isQuestion = "kind = 'viewing' AND item_key = '' AND reason <> 'burst' AND reason <> 'bulk'"

// Questions returns the films and series whose held viewings have no identifier, those with the
// most viewings first. Each viewing without a title is a question of its own.
func (s *Store) Questions(ctx context.Context) ([]entry.Question, error) {
	return read(ctx, s, "list questions", func(r *sql.Rows) (q entry.Question, err error) {
		err = r.Scan(&q.Entry, &q.N)
		return q, err
	}, `SELECT max(id), count(*) FROM entries WHERE state = 'held' AND `+isQuestion+`
		GROUP BY account, iif(root IN ('movie:', 'tv:'), id, root) ORDER BY 2 DESC, 1 DESC LIMIT ?`, maxLimit)
}

// The page sizes of [Store.Entries].
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// Entries returns the entries that match a filter, the newest or the most recently watched first.
func (s *Store) Entries(ctx context.Context, f entry.Filter) ([]Entry, error) {
	f.Limit = cmp.Or(f.Limit, defaultLimit)
	where, args, err := whereClause(f)
	if err == nil && (f.Limit < 0 || f.Limit > maxLimit) {
		err = errors.New("limit must be from 1 to 1000")
	}
	if err != nil {
		return nil, fmt.Errorf("list entries: %w", err)
	}
	order := "n.id DESC"
	if f.ByTime {
		order = "n.happened_at DESC, n.id DESC"
	}
	return read(ctx, s, "list entries", scanEntry, selectEntries+"WHERE true"+where+" ORDER BY "+order+" LIMIT ?", append(args, f.Limit)...)
}

// isFirstOfAccounts is the SQL condition that no earlier entry is of the same part of an event,
// or has the event as a further sighting of the same item.
const isFirstOfAccounts = `NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.event = n.event AND o.part = n.part AND o.id < n.id
		AND o.state <> 'dropped' AND o.state <> 'merged')
	AND NOT EXISTS (SELECT 1 FROM witnesses AS w JOIN entries AS o ON o.id = w.entry WHERE w.event = n.event AND w.entry < n.id AND o.item_key = n.item_key
		AND o.state <> 'dropped' AND o.state <> 'merged')`

// whereClause returns the conditions of a filter on entries n and events v as SQL that follows
// another condition, with its arguments. The state is part of the text, because SQLite uses the
// partial indexes only for a literal.
func whereClause(f entry.Filter) (query string, args []any, err error) {
	if f.State != "" && !f.State.Valid() {
		return "", nil, fmt.Errorf("%w: %q is not a state", entry.ErrState, f.State)
	}
	add := func(set bool, text string, values ...any) {
		if set {
			query += " AND " + text
			args = append(args, values...)
		}
	}
	account, happened := "n.account = ?", "+n.happened_at" // + prevents the index of times: the order is by id
	if f.Below > 0 || f.ByTime {
		account = "+n.account = ?" // + prevents the index of accounts, which would sort all rows for each page
	}
	if f.ByTime {
		happened = "n.happened_at"
	}
	add(f.State != "", "n.state = '"+string(f.State)+"'")
	add(f.Account != "", account, f.Account)
	add(f.Source != "", "(v.source = ? OR v.source_kind = ?)", f.Source, f.Source)
	add(f.Kind != "", "n.kind = ?", string(f.Kind))
	add(f.Kept, "n.state <> 'dropped' AND n.state <> 'merged'")
	add(f.Kept && f.Account == "", isFirstOfAccounts)
	add(f.Counted, "n.root IS NOT NULL")
	add(f.NoQuestions, "NOT ("+isQuestion+")")
	add(f.Reason != "", "n.reason = ?", f.Reason)
	add(f.Item != "", "n.item_key = ? AND n.item_key <> ''", f.Item)
	add(!f.Before.IsZero(), happened+" < ?", f.Before.UnixMilli())
	add(f.Below > 0, "n.id < ?", f.Below)
	add(f.Past != entry.Position{}, "n.happened_at <= ? AND (n.happened_at < ? OR n.id < ?)", f.Past.At, f.Past.At, f.Past.ID)
	add(f.UpTo != 0, "n.id <= ?", f.UpTo)
	add(!f.Since.IsZero(), happened+" >= ?", f.Since.UnixMilli())
	words := strings.Fields(resolve.Words(f.Words))
	add(f.Words != "" && len(words) == 0, "false") // no title consists of punctuation only
	for _, word := range words {
		add(true, "n.words LIKE ?", "%"+word+"%")
	}
	return query, args, nil
}

// OldestPending returns when the oldest pending entry of an account, or of all accounts for "",
// was committed; ok is false if none exists.
func (s *Store) OldestPending(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	return s.readTime(ctx, "find oldest entry", "SELECT created_at FROM entries WHERE state = 'pending' AND ? IN ('', account) ORDER BY id LIMIT 1", account)
}

// selectSteps selects the steps from when the entry was made, then the later ones.
const selectSteps = `SELECT at, code, from_state, reason, args, cause FROM (
		SELECT 0 AS stage, s.key AS number, n.created_at AS at, s.value ->> 'code' AS code, '' AS from_state, '' AS reason, s.value -> 'args' AS args, NULL AS cause
		FROM entries AS n JOIN json_each(n.decided) AS s WHERE n.id = ?1
		UNION ALL SELECT 1, number, at, code, from_state, reason, args, cause FROM steps WHERE entry = ?1
	) ORDER BY stage, number`

// olderEntries are the entries about the item of entries AS n that were watched before it, and
// may still be sent or may have arrived.
const olderEntries = ` FROM entries AS elder
	WHERE elder.account = n.account AND elder.item_key = n.item_key AND elder.item_key <> ''
	AND (elder.state = 'pending' OR elder.state = 'sending' OR elder.state = 'in_doubt')
	AND (elder.happened_at, elder.id) < (n.happened_at, n.id)`

// selectBlocker selects the entry that a pending entry waits for: its list, or the oldest entry
// about the same item.
const selectBlocker = `SELECT coalesce(
		(SELECT first.id FROM entries AS first WHERE first.id = n.after AND first.state NOT IN ('delivered', 'merged')),
		(SELECT elder.id` + olderEntries + ` ORDER BY elder.happened_at, elder.id LIMIT 1))
	FROM entries AS n WHERE n.id = ?1 AND n.state = 'pending'`

// Explain returns everything about one entry. Errors wrap [entry.ErrNotFound].
func (s *Store) Explain(ctx context.Context, id int64) (x entry.Explanation, err error) {
	action := fmt.Sprintf("explain entry %d", id)
	entries, err := read(ctx, s, action, scanEntry, selectEntries+"WHERE n.id IN (?1, ("+selectBlocker+")) ORDER BY n.id <> ?1", id)
	switch {
	case err != nil:
		return x, err
	case len(entries) == 0:
		return x, fmt.Errorf("%s: %w", action, entry.Missing(id))
	case len(entries) > 1:
		x.Ahead = entries[1]
	}
	x.Entry = entries[0]
	if x.Events, err = read(ctx, s, action, scanWitness, `SELECT v.source, v.event_id, v.committed_at, v.body FROM (
			SELECT event FROM entries WHERE id = ?1 UNION ALL SELECT event FROM witnesses WHERE entry = ?1
		) AS seen JOIN events AS v ON v.id = seen.event ORDER BY v.id <> (SELECT event FROM entries WHERE id = ?1), v.id`, id); err != nil {
		return x, err
	}
	if x.Steps, err = read(ctx, s, action, scanStep, selectSteps, id); err != nil {
		return x, err
	}
	x.Requests, err = read(ctx, s, action, scanAttempt, "SELECT number, at, ended_at, sent, status, code, answer, cause FROM attempts WHERE entry = ? ORDER BY number", id)
	return x, err
}

func scanWitness(r *sql.Rows) (w entry.Sighting, err error) {
	var at int64
	var body []byte
	err = r.Scan(&w.Source, &w.EventID, &at, &body)
	w.At = millis(at)
	_ = json.Unmarshal(body, &w.Event) // the body of a lost event is empty
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
	a.At, a.Ended = millis(at), timeFromNull(ended)
	return a, err
}

// Answered returns up to n delivered viewings, the newest first, whose request was made since
// then and answered with 2xx.
func (s *Store) Answered(ctx context.Context, account string, since time.Time, n int) ([]entry.Sent, error) {
	return read(ctx, s, "list answered entries", scanSent, "SELECT "+entryColumns+`, a.at, a.owner FROM entries AS n JOIN events AS v ON v.id = n.event
		JOIN attempts AS a ON a.entry = n.id AND a.number = (SELECT max(number) FROM attempts WHERE entry = n.id)
		WHERE n.account = ? AND n.state = 'delivered' AND n.kind = 'viewing' AND a.status BETWEEN 200 AND 299 AND a.at >= ?
		ORDER BY n.id DESC LIMIT ?`, account, since.UnixMilli(), n)
}

// Claims returns the account's viewings of the items with these keys that may have a record at
// the service: delivered ones, and those that the user dropped after a request.
func (s *Store) Claims(ctx context.Context, account string, keys []string) ([]Entry, error) {
	return read(ctx, s, "list claims", scanEntry, selectEntries+`WHERE n.account = ? AND n.item_key IN (SELECT value FROM json_each(?)) AND n.kind = 'viewing'
		AND (n.state = 'delivered' OR n.state = 'dropped' AND n.attempts > 0)`, account, asJSON{keys})
}

// WatchedSince reports whether the queue has a viewing of an item, or of an episode of a series,
// since then.
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

// Related returns what else is known about an entry.
func (s *Store) Related(ctx context.Context, id int64) (k entry.Related, err error) {
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

func scanSent(row *sql.Rows) (sent entry.Sent, err error) {
	var at int64
	sent.Entry, err = scanEntryWith(row, &at, &sent.Owner)
	sent.At = millis(at)
	return sent, err
}

// Recorded returns when items, by their [viewing.Media.Key], were watched in the accounts of a
// source. It includes all sources' viewings, whatever their state.
func (s *Store) Recorded(ctx context.Context, source string, keys []string) (map[string][]viewing.Instant, error) {
	times := map[string][]viewing.Instant{}
	_, err := read(ctx, s, "look for viewings", func(row *sql.Rows) (struct{}, error) {
		var key string
		var in viewing.Instant
		err := row.Scan(&key, &in.Millis, &in.Precision)
		times[key] = append(times[key], in)
		return struct{}{}, err
	}, `SELECT item_key, watched_at, watched ->> '$.precision' FROM entries
		WHERE account IN (SELECT value FROM json_each(?)) AND kind = 'viewing' AND item_key <> '' AND item_key IN (SELECT value FROM json_each(?)) ORDER BY happened_at, id`,
		asJSON{s.AccountsOf(source)}, asJSON{keys})
	return times, err
}

// State returns the stored state of a source.
func (s *Store) State(ctx context.Context, source string) (map[string][]byte, error) {
	state := map[string][]byte{}
	_, err := read(ctx, s, "read state of source", func(row *sql.Rows) (struct{}, error) {
		var key string
		var value []byte
		err := row.Scan(&key, &value)
		state[key] = append([]byte{}, value...) // not nil: an empty value is different from a missing one
		return struct{}{}, err
	}, "SELECT key, value FROM source_state WHERE source = ?", source)
	return state, err
}
