package disk

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// rescue copies from a damaged database into a fresh one.
type rescue struct {
	ctx        context.Context
	from       *sql.DB
	tx         *Tx
	salvage    Salvage
	gone       bool  // the file of the database was not there
	kept       int   // rows since the last commit
	unreadable int64 // rows that could not be read or kept
}

// rescued is a table of the fresh database.
type rescued struct {
	Table
	name    string
	columns []string
	key     []string // of the primary key
	rowid   bool     // the key is the row's number
}

// copyTables copies every table but those that are made anew.
func (r *rescue) copyTables() error {
	tables, err := r.tables()
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.rowid {
			err = r.byNumber(t)
		} else {
			err = r.fromBothEnds(t)
		}
		if err != nil {
			return fmt.Errorf("save table %s: %w", t.name, err)
		}
	}
	return nil
}

// tables are those of the fresh database that are to be filled, in the order in
// which they are read.
func (r *rescue) tables() ([]rescued, error) {
	rows, err := r.tx.Query(`SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
		AND name NOT LIKE 'sqlite_%' AND name <> 'ballast' ORDER BY name`)
	tables, err := Collect(rows, err, func(rows *sql.Rows) (t rescued, err error) {
		var keyed bool
		err = rows.Scan(&t.name, &keyed)
		t.Table, t.rowid = r.salvage.Tables[t.name], !keyed
		return t, err
	})
	if err != nil {
		return nil, err
	}
	tables = slices.DeleteFunc(tables, func(t rescued) bool { return t.Anew })
	slices.SortStableFunc(tables, func(a, b rescued) int {
		switch {
		case a.First == b.First:
			return 0
		case a.First:
			return -1
		default:
			return 1
		}
	})
	for i := range tables {
		if err := r.describe(&tables[i]); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// describe finds the columns of a table that the damaged file has, too: it may be of
// an older schema. Where that cannot be read, they are those of today.
func (r *rescue) describe(t *rescued) error {
	rows, err := r.from.QueryContext(r.ctx, "SELECT name FROM pragma_table_info(?)", t.name)
	there, _ := Collect(rows, err, func(rows *sql.Rows) (name string, err error) {
		err = rows.Scan(&name)
		return name, err
	})
	rows, err = r.tx.Query("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk", t.name)
	_, err = Collect(rows, err, func(rows *sql.Rows) (struct{}, error) {
		var name string
		var pk int
		err := rows.Scan(&name, &pk)
		if len(there) == 0 || slices.Contains(there, name) {
			t.columns = append(t.columns, name)
		}
		if pk > 0 {
			t.key = append(t.key, name)
		}
		return struct{}{}, err
	})
	return err
}

// The bounds of the search for readable rows behind unreadable ones.
const (
	rescuePage = 500
	maxBlind   = 200_000 // tries in vain, where nothing tells how far the numbers go
	maxStride  = 256
)

// errNonsense is a page that SQLite takes for one of the table's, with rows
// that cannot be.
var errNonsense = errors.New("rows out of order")

// byNumber reads rows by their number. Behind a page that cannot be read it
// tries one number after the other, in longer strides the longer it lasts,
// and goes back to where the last stride began once it finds something.
func (r *rescue) byNumber(t rescued) error {
	query, err := r.from.PrepareContext(r.ctx,
		fmt.Sprintf("SELECT %s FROM %s WHERE %s > ? ORDER BY %[3]s LIMIT ?", strings.Join(t.columns, ", "), t.name, t.key[0]))
	if err != nil {
		return r.pass(err)
	}
	defer query.Close()
	last := r.last(t)
	misses, stride := 0, int64(1)
	for at := int64(0); ; {
		page := rescuePage
		if misses > 0 {
			page = 1
		}
		end, n, err := r.read(t, query, at, page)
		switch {
		case err == nil && misses == 0 && n < page:
			return nil
		case err == nil && n == 0: // nothing behind, or a page that says so
			misses++
		case n > 0 && (err == nil || isDamage(err) || errors.Is(err, errNonsense)):
			if stride > 1 { // what lies within the stride was not tried
				at, stride, misses = at-stride, 1, 1
				continue
			}
			at, misses = end, 0
			if err != nil {
				misses = 1
			}
			continue
		case isDamage(err) || errors.Is(err, errNonsense):
			misses++
		default:
			return err
		}
		if misses > maxBlind {
			return nil
		}
		if misses%64 == 0 {
			stride = min(2*stride, maxStride)
		}
		if at += stride; at > last {
			return nil
		}
	}
}

// last is the greatest number that a row of the table may have.
func (r *rescue) last(t rescued) int64 {
	last := int64(maxBlind)
	query := fmt.Sprintf("SELECT max(%s) FROM %s", t.key[0], t.name)
	if err := r.from.QueryRowContext(r.ctx, query).Scan(&last); err == nil {
		return last
	}
	var named sql.NullInt64
	if t.Last == "" {
		return last
	}
	if _, err := r.tx.Find(t.Last, nil, &named); err == nil && named.Int64 > 0 {
		last = named.Int64 + maxStride // a row may have been made of parts
	}
	return last
}

// read copies one page of rows and says where it ended. What was read before
// a fault is kept.
func (r *rescue) read(t rescued, query *sql.Stmt, at int64, page int) (end int64, n int, err error) {
	end = at
	rows, err := query.QueryContext(r.ctx, at, page)
	if err != nil {
		return end, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		values, err := scanAny(rows, len(t.columns))
		if err != nil {
			return end, n, err
		}
		number, ok := values[0].(int64)
		if !ok || number <= end || number == math.MaxInt64 {
			return end, n, errNonsense
		}
		end = number
		n++
		if err := r.keep(t, values); err != nil {
			return end, n, err
		}
	}
	return end, n, rows.Err()
}

// fromBothEnds reads a table that has no numbers: forward as far as it goes,
// then backward. What lies between two damaged places is lost, unless
// something else names it.
func (r *rescue) fromBothEnds(t rescued) error {
	for _, direction := range []string{"ASC", "DESC"} {
		order := strings.Join(t.key, " "+direction+", ") + " " + direction
		rows, err := r.from.QueryContext(r.ctx, fmt.Sprintf("SELECT %s FROM %s ORDER BY %s", strings.Join(t.columns, ", "), t.name, order))
		if err == nil {
			err = r.keepAll(t, rows)
		}
		if err == nil {
			return nil
		}
		if err := r.pass(err); err != nil {
			return err
		}
	}
	return nil
}

// pass passes over a table that is damaged, or not there at all.
func (r *rescue) pass(fault error) error {
	var said *sqlite.Error
	if isDamage(fault) || errors.As(fault, &said) && said.Code() == sqlite3.SQLITE_ERROR {
		r.unreadable++
		return nil
	}
	return fault
}

// keepAll copies rows until a fault.
func (r *rescue) keepAll(t rescued, rows *sql.Rows) error {
	defer rows.Close()
	for rows.Next() {
		values, err := scanAny(rows, len(t.columns))
		if err != nil {
			return err
		}
		if err := r.keep(t, values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanAny reads a row as it is.
func scanAny(rows *sql.Rows, n int) ([]any, error) {
	values := make([]any, n)
	into := make([]any, n)
	for i := range values {
		into[i] = &values[i]
	}
	return values, rows.Scan(into...)
}

// keep writes a row, unless it is there already or cannot be one of ours.
func (r *rescue) keep(t rescued, values []any) error {
	kept, err := r.insert(t, values, InTable)
	if err == nil && t.Counted {
		r.unreadable += 1 - kept
	}
	return err
}

// insert writes a row and says whether it was new.
func (r *rescue) insert(t rescued, values []any, from Origin) (kept int64, err error) {
	if !r.salvage.Accept(t.name, t.columns, values, from) {
		return 0, nil
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	kept, err = r.tx.Affect(fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (%s)", t.name, strings.Join(t.columns, ", "), marks), values...)
	switch {
	case err != nil && SpoilsOnlyItself(err):
		r.unreadable++
		return 1, nil // it is counted
	case err != nil:
		return 0, err
	}
	return kept, r.breathe()
}

// breathe commits now and then: a transaction as large as a queue would need
// the room of two.
func (r *rescue) breathe() error {
	if r.kept++; r.kept < 2_000 {
		return nil
	}
	r.kept = 0
	return r.tx.Run("COMMIT", "BEGIN IMMEDIATE")
}
