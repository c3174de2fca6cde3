package queue

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// selectDelivered selects the entries of an account that have arrived at its service. A merged
// list is one that the service had before.
const selectDelivered = "SELECT " + entryColumns + ` FROM entries AS n JOIN events AS v ON v.id = n.event
	WHERE +n.account = ? AND n.id > ? AND (n.state = 'delivered' OR n.kind = 'list' AND n.state = 'merged') ORDER BY n.id LIMIT ?`

// selectLists selects the lists of an account.
const selectLists = "SELECT id, list ->> '$.name' FROM entries WHERE +account = ? AND kind = 'list' AND state <> 'dropped' AND state <> 'rejected'"

// CopyHistory copies the delivered entries of one account to another: a new entry of the same
// event for each, sent after all live ones. Entries that the other account already has are
// skipped, so an interrupted copy can be repeated. Watchlist entries whose film or series was
// watched since are skipped, too. For each remaining entry it calls report; known is set if the
// other account has it. A dry run only calls report.
func (s *Store) CopyHistory(ctx context.Context, from, to string, dry bool, report func(e Entry, known bool)) error {
	lists := map[string]int64{} // of the other account, by name
	_, err := read(ctx, s, "read lists", func(r *sql.Rows) (_ struct{}, err error) {
		var id int64
		var name string
		err = r.Scan(&id, &name)
		lists[name] = id
		return struct{}{}, err
	}, selectLists, to)
	for last := int64(0); err == nil; {
		var page []Entry
		page, err = read(ctx, s, "read what has arrived", scanEntry, selectDelivered, from, last, operationPage)
		if err != nil || len(page) == 0 {
			return err
		}
		last = page[len(page)-1].ID
		page = slices.DeleteFunc(page, func(e Entry) bool {
			watched := false
			if e.Kind == viewing.KindWatchlist && err == nil {
				watched, err = s.WatchedSince(ctx, from, *e.Media, e.CreatedAt)
			}
			return watched
		})
		if err != nil {
			return err
		}
		var known []bool
		var after map[string]int64
		err = s.writeDry(ctx, "copy entries", dry, func(t *tx) (err error) {
			known, after = make([]bool, len(page)), maps.Clone(lists) // the function may be called again
			for i, e := range page {
				known[i] = t.copyEntry(e, to, after)
			}
			return nil
		})
		if err != nil {
			return err
		}
		lists = after
		for i, e := range page {
			report(e, known[i])
		}
	}
	return err
}

const (
	// selectCopy selects an entry of account ?2 that was made from the same part of the
	// event of entry ?1, or that has the same item and shares a sighting with it.
	selectCopy = `SELECT n.id FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part WHERE e.id = ?1 AND n.account = ?2
		UNION ALL SELECT n.id FROM entries AS e JOIN witnesses AS w ON w.event = e.event OR w.entry = e.id
			JOIN entries AS n ON n.id = w.entry OR n.event = w.event AND n.event <> e.event
			WHERE e.id = ?1 AND n.account = ?2 AND n.item_key = e.item_key LIMIT 1`
	// selectWatchlistEntry selects an account's watchlist entry of an item.
	selectWatchlistEntry = `SELECT id FROM entries WHERE account = ? AND item_key = ? AND item_key <> '' AND kind = 'watchlist'
		AND state <> 'dropped' AND state <> 'rejected'`
	// insertCopy copies entry ?1. The copy has no root: the viewing counts once in the statistics.
	insertCopy = `INSERT INTO entries (event, account, part, kind, media, reported, correction, list, item_key, priority, watched_at, watched, class,
			created_at, state, lane, after, next_at, planned_at, decided, touched, words, minutes)
		SELECT event, ?2, part, kind, media, reported, correction, list, item_key, priority, watched_at, watched, class,
			?3, 'pending', ?4, ?5, min(happened_at, ?3), ?3, ?6, max(touched, 1), words, minutes FROM entries WHERE id = ?1`
)

// copyEntry copies an entry to another account, unless that has it; lists are the lists of that
// account by name.
func (t *tx) copyEntry(e Entry, account string, lists map[string]int64) (known bool) {
	var listCopy, other int64
	if t.find(selectCopy, []any{e.ID, account}, &other) {
		return true
	}
	switch e.Kind {
	case viewing.KindViewing:
		s := t.withSources(e)
		s.Account, s.Class = account, ""
		known = t.duplicateOf(*s, false) != nil
	case viewing.KindWatchlist:
		known = t.find(selectWatchlistEntry, []any{account, e.Key()}, &other)
	case viewing.KindList:
		known = lists[e.List.Name] != 0
	case viewing.KindListItem:
		listCopy = lists[t.entry(e.After).List.Name]
		known = listCopy == 0 // the copy of its list was dropped
	}
	if known {
		return true
	}
	step := entry.Step{Code: "user.copied", Args: entry.Args{"account": account, "before": e.Account}}
	id := must(t.Insert(insertCopy, e.ID, account, t.now, int(viewing.LaneBackfill), idOrNull(listCopy), asJSON{[]entry.Step{step}}))
	if e.List != nil {
		lists[e.List.Name] = id
	}
	t.count(account, viewing.StatePending, 1)
	t.exec("INSERT INTO witnesses (event, entry) SELECT event, ?2 FROM witnesses WHERE entry = ?1", e.ID, id)
	return false
}
