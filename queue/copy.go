package queue

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// selectDelivered finds what an account's service has by our doing. A list that it had itself
// is one that items were put on.
const selectDelivered = "SELECT " + entryColumns + ` FROM entries AS n JOIN events AS v ON v.id = n.event
	WHERE +n.account = ? AND n.id > ? AND (n.state = 'delivered' OR n.kind = 'list' AND n.state = 'merged') ORDER BY n.id LIMIT ?`

// selectLists finds the lists of an account.
const selectLists = "SELECT id, list ->> '$.name' FROM entries WHERE +account = ? AND kind = 'list' AND state <> 'dropped' AND state <> 'rejected'"

// CopyHistory gives what has arrived at the service of one account to another account: an
// entry of the same event for each, that waits behind everything live. What the other account
// has already is left out, so a second copy adds nothing, and one that was cut goes on where it
// ended. Wishes that came true are passed over. Each of the other entries is told, with whether
// the other account has it. A dry run only tells.
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
			known, after = make([]bool, len(page)), maps.Clone(lists) // it may be called again
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
	// selectCopy finds an entry of an account that was made of the same part of an event, or
	// shares a sighting of the same item.
	selectCopy = `SELECT n.id FROM entries AS e JOIN entries AS n ON n.event = e.event AND n.part = e.part WHERE e.id = ?1 AND n.account = ?2
		UNION ALL SELECT n.id FROM entries AS e JOIN witnesses AS w ON w.event = e.event OR w.entry = e.id
			JOIN entries AS n ON n.id = w.entry OR n.event = w.event AND n.event <> e.event
			WHERE e.id = ?1 AND n.account = ?2 AND n.item_key = e.item_key LIMIT 1`
	// selectWatchlistEntry finds a wish that an account has.
	selectWatchlistEntry = `SELECT id FROM entries WHERE account = ? AND item_key = ? AND item_key <> '' AND kind = 'watchlist'
		AND state <> 'dropped' AND state <> 'rejected'`
	// insertCopy copies an entry. In the statistics the viewing counts once.
	insertCopy = `INSERT INTO entries (event, account, part, kind, media, reported, correction, list, item_key, priority, watched_at, watched, class,
			created_at, state, lane, after, next_at, planned_at, decided, touched, words, minutes)
		SELECT event, ?2, part, kind, media, reported, correction, list, item_key, priority, watched_at, watched, class,
			?3, 'pending', ?4, ?5, min(happened_at, ?3), ?3, ?6, max(touched, 1), words, minutes FROM entries WHERE id = ?1`
)

// copyEntry gives a copy of an entry to another account, unless that has it; lists are those of
// the account, by name.
func (t *tx) copyEntry(e Entry, account string, lists map[string]int64) (known bool) {
	var list, other int64
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
		list = lists[t.entry(e.After).List.Name]
		known = list == 0 // its copy was dropped
	}
	if known {
		return true
	}
	step := entry.Step{Code: "user.copied", Args: entry.Args{"account": account, "before": e.Account}}
	id := must(t.Insert(insertCopy, e.ID, account, t.now, int(viewing.LaneBackfill), idOrNull(list), asJSON{[]entry.Step{step}}))
	if e.List != nil {
		lists[e.List.Name] = id
	}
	t.count(account, viewing.StatePending, 1)
	t.exec("INSERT INTO witnesses (event, entry) SELECT event, ?2 FROM witnesses WHERE entry = ?1", e.ID, id)
	return false
}
