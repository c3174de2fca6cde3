package upkeep

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Salvage says how the tables are saved from a damaged database. Names come
// first: they tell how far the numbers of events and entries go. Counters are
// counted anew, and rows of witnesses look like those of their index. Anew makes
// entries whose rows are lost from their events, and says how many.
func Salvage(anew func(*disk.Tx) (made int64, err error)) disk.Salvage {
	const lastEntry = "SELECT max(entry) FROM dedupe"
	return disk.Salvage{
		Tables: map[string]disk.Table{
			"dedupe":       {Needed: true, First: true, Lasts: true, Shape: "tbi"},
			"events":       {Needed: true, Counted: true, Lasts: true, Shape: "ntttt", Last: "SELECT max(event) FROM dedupe"},
			"entries":      {Needed: true, Counted: true, Lasts: true, Shape: "nititt", Last: lastEntry},
			"meta":         {Needed: true, Shape: "t"},
			"steps":        {Lasts: true, Shape: "iiitt"},
			"attempts":     {Lasts: true, Shape: "iii"},
			"accounts":     {Shape: "ttittt"},
			"source_state": {Shape: "ttb"},
			"doubts":       {Shape: "ntiiaia", Last: lastEntry},
			"lists_before": {Shape: "nt", Last: lastEntry},
			"lookups":      {Last: lastEntry},
			"corrections":  {Lasts: true, Shape: "ntt"},
			"corrected":    {Last: lastEntry},
			"silences":     {Lasts: true, Shape: "ntii"},
			"counters":     {Anew: true},
		},
		Accept: accept,
		Mend: func(ctx context.Context, t *disk.Tx, w disk.Wreck) (disk.Report, error) {
			r := &mending{ctx: ctx, tx: t, wreck: w}
			return r.mend(anew)
		},
	}
}

// accept makes a row acceptable. An entry's leases are void, and a state that is
// none is one that needs a person. An entry of an earlier time is held: it may
// have been sent since.
func accept(table string, columns []string, values []any, from disk.Origin) bool {
	if table == "meta" && from != disk.InTable {
		name, _ := values[0].(string)
		return !viewing.State(name).Valid() // that is of an index of states
	}
	if table != "entries" {
		return true
	}
	at := func(column string) *any { return &values[slices.Index(columns, column)] }
	*at("lease"), *at("lease_until"), *at("behind") = int64(0), int64(0), int64(0)
	state, _ := (*at("state")).(string)
	unsent := viewing.State(state) == viewing.StatePending || viewing.State(state) == viewing.StateSending
	if !viewing.State(state).Valid() || from == disk.InRound && unsent {
		*at("state"), *at("reason") = string(viewing.StateHeld), viewing.ReasonDamaged
	}
	return true
}

// mending mends what was saved.
type mending struct {
	ctx   context.Context
	tx    *disk.Tx
	wreck disk.Wreck
	found salvaged
}

// mend mends what hangs together, and counts.
func (r *mending) mend(anew func(*disk.Tx) (int64, error)) (disk.Report, error) {
	mendEntries := func() (err error) {
		r.found.anew, err = anew(r.tx)
		return err
	}
	for _, stage := range []func() error{r.mendEvents, r.mendNames, mendEntries, r.mendRest, r.count} {
		if err := stage(); err != nil {
			return disk.Report{}, err
		}
	}
	return disk.Report{Notice: r.found.notice(r.wreck), Figures: []any{
		"events", r.found.events, "entries", r.found.entries,
		"damaged", r.found.damaged, "unreadable", r.wreck.Unreadable, "anew", r.found.anew,
	}}, nil
}

// salvaged is what came of a salvage.
type salvaged struct {
	events, entries int64 // saved
	damaged         int64 // entries among them that are held, for they may be wrong
	anew            int64 // those of them that were made again from their events
	lost            int64 // events of which only the name is left
}

// notice tells a person.
func (f salvaged) notice(w disk.Wreck) disk.Notice {
	text := fmt.Sprintf("The queue's file was damaged. It was set aside as %s; %d events and %d entries of it are saved.",
		filepath.Base(w.Aside), f.events, f.entries)
	if w.Gone {
		text = fmt.Sprintf("The queue's file was missing or empty, but its log was there: %d events and %d entries are saved from that. "+
			"What stood only in the file is lost. The log was set aside as %s-wal.", f.events, f.entries, filepath.Base(w.Aside))
	}
	if f.damaged > 0 {
		text += fmt.Sprintf(" %d entries are held, because what is left of them may be wrong or may have been sent.", f.damaged)
	}
	if f.lost > 0 {
		text += fmt.Sprintf(" %d events are lost but for their names.", f.lost)
	}
	return disk.Notice{Text: text, Hint: "filmspool queue list --state held"}
}

// mendEvents gives entries whose event's row is lost one that says who told
// it, as far as the names know. Where they do not, its sum is wrong by intent:
// nothing made of it is ever sent.
func (r *mending) mendEvents() error {
	_, err := r.tx.Exec(`INSERT INTO events (id, source, source_kind, event_id, body, entry, parts, committed_at, sum)
		SELECT id, source, source_kind, event_id, body, entry, parts, committed_at,
			iif(known, seal(source, source_kind, event_id, body, entry, parts, committed_at), -1)
		FROM (
			SELECT n.event AS id, d.key IS NOT NULL AS known, '{}' AS body, min(n.id) AS entry, max(n.id) - min(n.id) + 1 AS parts,
				min(n.created_at) AS committed_at, coalesce(substr(d.key, 1, instr(d.key, ':')), 'lost:') AS source,
				coalesce(substr(d.key, 1, instr(d.key, ':') - 1), 'lost') AS source_kind,
				coalesce(substr(d.key, instr(d.key, ':') + 1), 'event ' || n.event) AS event_id
			FROM entries AS n LEFT JOIN dedupe AS d ON d.event = n.event
			WHERE n.event NOT IN (SELECT id FROM events) GROUP BY n.event
		)`)
	return err
}

// nameless is an event whose name is lost.
type nameless struct {
	id   int64
	key  string
	body []byte
}

// mendNames writes the names of events anew, so that nobody's repetition is
// taken for news.
func (r *mending) mendNames() error {
	rows, err := r.tx.Query(`SELECT v.id, v.source_kind || ':' || v.event_id, v.body FROM events AS v
		WHERE v.source_kind <> 'lost' AND NOT EXISTS (SELECT 1 FROM dedupe WHERE key = v.source_kind || ':' || v.event_id)`)
	all, err := disk.Collect(rows, err, func(rows *sql.Rows) (n nameless, err error) {
		err = rows.Scan(&n.id, &n.key, &n.body)
		return n, err
	})
	if err != nil {
		return err
	}
	for _, n := range all {
		content := sha256.Sum256(n.body)
		_, err := r.tx.Exec(`INSERT OR IGNORE INTO dedupe (key, content, event, entry) VALUES (?1, ?2, ?3, coalesce(
			(SELECT entry FROM events WHERE id = ?3), (SELECT min(entry) FROM witnesses WHERE event = ?3)))`,
			n.key, content[:], n.id)
		if err != nil {
			return err
		}
	}
	return nil
}

// mendRest holds what is not as it was written or waits for something lost,
// and drops what belongs to nothing.
func (r *mending) mendRest() error {
	statements := []string{
		holdUnsure,
		`UPDATE entries SET state = iif(state = 'pending', 'held', state), reason = iif(state = 'pending', '` + viewing.ReasonDamaged + `', reason),
			after = NULL WHERE after NOT IN (SELECT id FROM entries)`,
		"DELETE FROM witnesses WHERE event NOT IN (SELECT id FROM events)",
	}
	tables, err := belongings(r.tx)
	if err != nil {
		return err
	}
	for _, table := range tables {
		statements = append(statements, "DELETE FROM "+table+" WHERE entry NOT IN (SELECT id FROM entries)")
	}
	statements = append(statements, "DELETE FROM lookups WHERE entry NOT IN (SELECT id FROM entries WHERE "+schema.Unidentified+")",
		"INSERT OR IGNORE INTO lookups (entry, account, ask_at) SELECT id, account, 0 FROM entries WHERE "+schema.Unidentified)
	return r.tx.Run(statements...)
}

// count counts what is there, for the counters and for the report. Totals are
// at least what is there.
func (r *mending) count() error {
	rows, err := r.wreck.From.QueryContext(r.ctx, "SELECT state, total FROM counters")
	totals, err := disk.Collect(rows, err, func(rows *sql.Rows) (c [2]any, err error) {
		err = rows.Scan(&c[0], &c[1])
		return c, err
	})
	if err != nil && !disk.Damaged(err) {
		return err
	}
	for _, total := range totals {
		if _, err := r.tx.Exec("UPDATE counters SET total = ?2 WHERE state = ?1", total[0], total[1]); err != nil && !disk.SpoilsOnlyItself(err) {
			return err
		}
	}
	_, err = r.tx.Exec(`UPDATE counters SET current = (SELECT count(*) FROM entries AS n WHERE n.state = counters.state)
		- iif(state = 'pending', (SELECT coalesce(max(id), 0) FROM entries), 0)`)
	if err != nil {
		return err
	}
	if _, err := r.tx.Exec("UPDATE counters SET total = max(total, current)"); err != nil {
		return err
	}
	_, err = r.tx.Find(`SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM entries),
			(SELECT count(*) FROM entries WHERE state = 'held' AND reason = ?),
			max(0, (SELECT count(*) FROM dedupe) - (SELECT count(*) FROM events WHERE source_kind <> 'lost')
				- coalesce((SELECT value FROM meta WHERE key = 'trimmed'), 0))`,
		[]any{viewing.ReasonDamaged}, &r.found.events, &r.found.entries, &r.found.damaged, &r.found.lost)
	return err
}

// holdUnsure keeps entries from leaving whose row is not what was written.
const holdUnsure = `UPDATE entries AS n SET state = 'held', reason = '` + viewing.ReasonDamaged + `'
	WHERE state IN ('pending', 'sending') AND sum IS NOT ` + schema.SealedEntry
