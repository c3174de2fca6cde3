package queue

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"modernc.org/sqlite"

	"github.com/filmspool/filmspool/queue/viewing"

	sqlite3 "modernc.org/sqlite/lib"
)

// source is a damaged database that can be read in part.
type source struct {
	db      *sql.DB
	cleanup func() error
}

func (s source) Close() error { return errors.Join(s.db.Close(), s.cleanup()) }

// readable opens the damaged database base, or a copy of it with the parts mended
// without which SQLite reads nothing: the header, then all pages of the
// schema. They are taken from the fresh database, whose tables were made by
// the same statements in the same order and so begin at the same pages.
func (s *Store) readable(ctx context.Context, base, fresh string) (source, error) {
	db, err := openDamaged(ctx, base)
	if err == nil {
		return source{db, func() error { return nil }}, nil
	}
	mended := s.path + ".mended"
	cleanup := func() error { return removeDatabase(mended) }
	for _, mend := range []func(path, fresh string) error{mendHeader, mendSchema} {
		if err := errors.Join(cleanup(), copyFile(base, mended), copyFile(base+"-wal", mended+"-wal")); err != nil {
			return source{}, errors.Join(fmt.Errorf("copy damaged database: %w: %w", ErrStorage, err), cleanup())
		}
		if err := mend(mended, fresh); err != nil {
			return source{}, errors.Join(fmt.Errorf("mend database: %w: %w", ErrStorage, err), cleanup())
		}
		if db, err = openDamaged(ctx, mended); err == nil {
			return source{db, cleanup}, nil
		}
	}
	s.logger.Error("nothing can be read of the damaged database", "error", err)
	db, err = openPool(1, fresh, "ro") // it is empty
	return source{db, cleanup}, err
}

// openDamaged opens a database without regard to a wrong size or a broken
// part of the schema. It fails when not one table is found.
func openDamaged(ctx context.Context, path string) (*sql.DB, error) {
	db, err := openPool(1, path, "ro", "writable_schema(1)")
	if err != nil {
		return nil, err
	}
	var tables int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name IN ('events', 'entries', 'dedupe', 'meta')").Scan(&tables)
	if err == nil && tables < 4 {
		err = fmt.Errorf("%d of 4 tables found", tables)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// copyFile copies a file that may be missing.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

const (
	headerSize = 100
	pageSize   = 4096
)

// mendHeader gives a database the header of the fresh one, with its own size.
func mendHeader(path, fresh string) error { return mend(path, fresh, nil) }

// mendSchema gives it all pages of the schema, too.
func mendSchema(path, fresh string) error {
	template, err := os.ReadFile(fresh)
	if err != nil {
		return err
	}
	return mend(path, fresh, schemaPages(template))
}

// mend takes the header and some pages from the fresh database.
func mend(path, fresh string, pages []int) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	template, err := os.ReadFile(fresh)
	if err != nil {
		return err
	}
	if len(content) < len(template) {
		content = append(content, make([]byte, len(template)-len(content))...)
	}
	for _, page := range pages {
		copy(content[(page-1)*pageSize:page*pageSize], template[(page-1)*pageSize:])
	}
	copy(content[:headerSize], template[:headerSize])
	binary.BigEndian.PutUint32(content[28:], uint32(len(content)/pageSize))
	clear(content[32:40]) // the list of free pages
	return os.WriteFile(path, content, 0o600)
}

// schemaPages are the pages of the table that names all others: the first,
// and where that only points to others, those.
func schemaPages(content []byte) []int {
	const interior, headerOfInterior = 5, 12
	pages := []int{1}
	if len(content) < pageSize || content[headerSize] != interior {
		return pages
	}
	cells := int(binary.BigEndian.Uint16(content[headerSize+3:]))
	for cell := range cells {
		at := int(binary.BigEndian.Uint16(content[headerSize+headerOfInterior+2*cell:]))
		pages = append(pages, int(binary.BigEndian.Uint32(content[at:])))
	}
	return append(pages, int(binary.BigEndian.Uint32(content[headerSize+8:])))
}

// rescue copies from a damaged database into a fresh one.
type rescue struct {
	ctx   context.Context
	from  *sql.DB
	tx    *tx
	kept  int // rows since the last commit
	found salvaged
}

// rescued is a table of the fresh database.
type rescued struct {
	name    string
	columns []string
	key     []string // of the primary key
	rowid   bool     // the key is the row's number
}

// copyTables copies every table but the counters, which are counted anew. The
// names come first: they tell how far the numbers of events and entries go.
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

// tables are those of the fresh database that are to be filled.
func (r *rescue) tables() ([]rescued, error) {
	rows, err := r.tx.query(`SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
		AND name NOT LIKE 'sqlite_%' AND name NOT IN ('counters', 'ballast') ORDER BY name <> 'dedupe', name`)
	tables, err := collect(rows, err, func(rows *sql.Rows) (t rescued, err error) {
		var keyed bool
		err = rows.Scan(&t.name, &keyed)
		t.rowid = !keyed
		return t, err
	})
	if err != nil {
		return nil, err
	}
	for i := range tables {
		if err := r.describe(&tables[i]); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// describe finds the columns of a table.
func (r *rescue) describe(t *rescued) error {
	rows, err := r.tx.query("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk", t.name)
	_, err = collect(rows, err, func(rows *sql.Rows) (struct{}, error) {
		var name string
		var pk int
		err := rows.Scan(&name, &pk)
		t.columns = append(t.columns, name)
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
	column := "entry"
	if t.name == "events" {
		column = "event"
	}
	var named sql.NullInt64
	if _, err := r.tx.find("SELECT max("+column+") FROM dedupe", nil, &named); err == nil && named.Int64 > 0 {
		last = named.Int64 + maxStride // an entry may have been made of parts
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
		r.found.unreadable++
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
	kept, err := r.insert(t, values)
	if err == nil && (t.name == "events" || t.name == "entries") {
		r.found.unreadable += 1 - kept
	}
	return err
}

// keepStray is keep for a row that was most likely read before.
func (r *rescue) keepStray(t rescued, values []any) error {
	_, err := r.insert(t, values)
	return err
}

// insert writes a row and says whether it was new.
func (r *rescue) insert(t rescued, values []any) (kept int64, err error) {
	if t.name == "entries" {
		t.soften(values)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	kept, err = r.tx.affect(fmt.Sprintf("INSERT OR IGNORE INTO %s (%s) VALUES (%s)", t.name, strings.Join(t.columns, ", "), marks), values...)
	switch {
	case err != nil && spoilsOnlyItself(err):
		r.found.unreadable++
		return 1, nil // it is counted
	case err != nil:
		return 0, err
	}
	return kept, r.breathe()
}

// soften makes an entry's bookkeeping acceptable: leases are void, and a state
// that is none is one that needs a person.
func (t rescued) soften(values []any) {
	set := func(column string, value any) { values[slices.Index(t.columns, column)] = value }
	set("lease", int64(0))
	set("lease_until", int64(0))
	set("behind", int64(0))
	if state, ok := values[slices.Index(t.columns, "state")].(string); !ok || !viewing.State(state).Valid() {
		set("state", string(viewing.StateHeld))
		set("reason", viewing.ReasonDamaged)
	}
}

// breathe commits now and then: a transaction as large as a queue would need
// the room of two.
func (r *rescue) breathe() error {
	if r.kept++; r.kept < 2_000 {
		return nil
	}
	r.kept = 0
	return r.tx.run("COMMIT", "BEGIN IMMEDIATE")
}
