package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// Counts is the number of entries in each state now. It costs the same whatever waits.
func (s *Store) Counts(ctx context.Context) (entry.Counts, error) {
	all, err := s.countsBy(ctx, "''")
	return all[""], err
}

// CountsOf is the number of entries in each state now, by their account.
func (s *Store) CountsOf(ctx context.Context) (map[string]entry.Counts, error) {
	return s.countsBy(ctx, "account")
}

// countsBy adds up the counters. The names in the JSON of [entry.Counts] are the states.
func (s *Store) countsBy(ctx context.Context, by string) (map[string]entry.Counts, error) {
	all := map[string]entry.Counts{}
	_, err := read(ctx, s, "count entries", func(row *sql.Rows) (struct{}, error) {
		var account string
		var counts entry.Counts
		err := row.Scan(&account, fromJSON{&counts})
		all[account] = counts
		return struct{}{}, err
	}, "SELECT whose, json_group_object(replace(state, '_doubt', 'Doubt'), n) FROM (SELECT "+by+" AS whose, state, sum(current) AS n FROM counters GROUP BY 1, 2) GROUP BY 1")
	return all, err
}

// Unresolved is how many of the account's entries are held without an
// identifier, for whatever reason.
func (s *Store) Unresolved(ctx context.Context, account string) (n int64, err error) {
	n, _, err = s.readNumber(ctx, "count lookups", "SELECT count(*) FROM lookups WHERE account = ?", account)
	return n, err
}

// PendingAccounts are the accounts for which anything is pending, in order.
func (s *Store) PendingAccounts(ctx context.Context) (names []string, err error) {
	return read(ctx, s, "find accounts", sqlite.Scan[string], "SELECT account FROM counters WHERE state = 'pending' AND current > 0 ORDER BY account")
}

// Waves are those that a person has not decided about, the largest first. It costs
// as much as they hold.
func (s *Store) Waves(ctx context.Context) ([]entry.Wave, error) {
	return read(ctx, s, "count waves", func(r *sql.Rows) (w entry.Wave, err error) {
		err = r.Scan(&w.Source, &w.Held)
		return w, err
	}, `SELECT v.source, count(*) FROM entries AS n
		JOIN events AS v ON v.id = n.event WHERE n.state = 'held' AND n.reason = 'wave' GROUP BY v.source ORDER BY 2 DESC, 1`)
}

// isQuestion chooses viewings that are held and have no identifier, where no other act is for
// all that came with them.
const isQuestion = "kind = 'viewing' AND item_key = '' AND reason <> 'wave' AND reason <> 'bulk'"

// Questions are the films and series whose held viewings have no identifier, the one with the
// most viewings first. Viewings without any title are a question each.
func (s *Store) Questions(ctx context.Context) ([]entry.Question, error) {
	return read(ctx, s, "list questions", func(r *sql.Rows) (q entry.Question, err error) {
		err = r.Scan(&q.Entry, &q.N)
		return q, err
	}, `SELECT max(id), count(*) FROM entries WHERE state = 'held' AND `+isQuestion+`
		GROUP BY account, iif(root IN ('movie:', 'tv:'), id, root) ORDER BY 2 DESC, 1 DESC LIMIT ?`, maxLimit)
}

// The bounds of a list.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// Entries lists entries, the newest or the latest first.
func (s *Store) Entries(ctx context.Context, f entry.Filter) ([]Entry, error) {
	query, args, err := listQuery(f)
	if err != nil {
		return nil, fmt.Errorf("list entries: %w", err)
	}
	return read(ctx, s, "list entries", scanEntry, query, args...)
}

// listQuery is the filter as SQL.
func listQuery(f entry.Filter) (query string, args []any, err error) {
	switch {
	case f.Limit < 0 || f.Limit > maxLimit:
		return "", nil, errors.New("limit must be from 1 to 1000")
	case f.Limit == 0:
		f.Limit = defaultLimit
	}
	fits, args, err := conditions(f)
	if err != nil {
		return "", nil, err
	}
	order := "n.id DESC"
	if f.ByTime {
		order = "n.happened_at DESC, n.id DESC"
	}
	query = "SELECT " + entryColumns + " FROM entries AS n JOIN events AS v ON v.id = n.event WHERE true" + fits
	return query + " ORDER BY " + order + " LIMIT ?", append(args, f.Limit), nil
}

// selectFirst reports that no entry before is of the same part of an event, or has the event
// as a further sighting.
const selectFirst = `NOT EXISTS (SELECT 1 FROM entries AS o WHERE o.event = n.event AND o.part = n.part AND o.id < n.id
		AND o.state <> 'dropped' AND o.state <> 'merged')
	AND NOT EXISTS (SELECT 1 FROM witnesses AS w JOIN entries AS o ON o.id = w.entry WHERE w.event = n.event AND w.entry < n.id AND o.item_key = n.item_key
		AND o.state <> 'dropped' AND o.state <> 'merged')`

// conditions are what a filter asks of entries n and events v, as SQL that goes on after
// another condition. The state stands in the text, not in an argument: only then may the
// small indexes be used.
func conditions(f entry.Filter) (query string, args []any, err error) {
	if f.State != "" && !f.State.Valid() {
		return "", nil, fmt.Errorf("%w: %q is not a state", entry.ErrState, f.State)
	}
	add := func(set bool, text string, values ...any) {
		if set {
			query += " AND " + text
			args = append(args, values...)
		}
	}
	account, happened := "n.account = ?", "+n.happened_at" // no index of times: ids are the order
	if f.Below > 0 || f.ByTime {
		account = "+n.account = ?" // no index of accounts: it would be sorted for each page anew
	}
	if f.ByTime {
		happened = "n.happened_at"
	}
	add(f.State != "", "n.state = '"+string(f.State)+"'")
	add(f.Account != "", account, f.Account)
	add(f.Source != "", "(v.source = ? OR v.source_kind = ?)", f.Source, f.Source)
	add(f.Kind != "", "n.kind = ?", string(f.Kind))
	add(f.Kept, "n.state <> 'dropped' AND n.state <> 'merged'")
	add(f.Kept && f.Account == "", selectFirst)
	add(f.Counted, "n.root IS NOT NULL")
	add(f.NoQuestions, "NOT ("+isQuestion+")")
	add(f.Reason != "", "n.reason = ?", f.Reason)
	add(f.Item != "", "n.item_key = ? AND n.item_key <> ''", f.Item)
	add(!f.Before.IsZero(), happened+" < ?", f.Before.UnixMilli())
	add(f.Below > 0, "n.id < ?", f.Below)
	add(f.Past != entry.Place{}, "n.happened_at <= ? AND (n.happened_at < ? OR n.id < ?)", f.Past.At, f.Past.At, f.Past.ID)
	add(f.UpTo != 0, "n.id <= ?", f.UpTo)
	add(!f.Since.IsZero(), happened+" >= ?", f.Since.UnixMilli())
	words := strings.Fields(resolve.Words(f.Words))
	add(f.Words != "" && len(words) == 0, "false") // signs alone are in no title
	for _, word := range words {
		add(true, "n.words LIKE ?", "%"+word+"%")
	}
	return query, args, nil
}

// OldestPending is when the pending entry of an account, or of all where it is "",
// that waits longest was committed; ok is false when none waits.
func (s *Store) OldestPending(ctx context.Context, account string) (t time.Time, ok bool, err error) {
	return s.readTime(ctx, "find oldest entry", "SELECT created_at FROM entries WHERE state = 'pending' AND ? IN ('', account) ORDER BY id LIMIT 1", account)
}
