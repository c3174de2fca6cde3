package kodisim

import (
	"database/sql"
	"strings"
)

// rows are rows of one table, column by column.
type rows struct {
	table   string
	columns []string
	values  [][]any
}

// read keeps the rows of a table that fulfil a condition.
func read(tx *sql.Tx, table, condition string, args ...any) (rows, error) {
	kept := rows{table: table}
	found, err := tx.Query(`select * from `+table+` where `+condition+` order by rowid`, args...)
	if err != nil {
		return kept, err
	}
	defer found.Close()
	if kept.columns, err = found.Columns(); err != nil {
		return kept, err
	}
	for found.Next() {
		values, places := make([]any, len(kept.columns)), make([]any, len(kept.columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := found.Scan(places...); err != nil {
			return kept, err
		}
		kept.values = append(kept.values, values)
	}
	return kept, found.Err()
}

// insert writes the rows back, with some columns changed, and returns the id
// of the last.
func (r rows) insert(tx *sql.Tx, changed map[string]any) (id int64, err error) {
	for _, values := range r.values {
		args := append([]any(nil), values...)
		for i, name := range r.columns {
			if value, ok := changed[name]; ok {
				args[i] = value
			}
		}
		query := `insert or ignore into ` + r.table + ` (` + strings.Join(r.columns, ", ") + `) values (?` + strings.Repeat(", ?", len(args)-1) + `)`
		if id, err = insert(tx, query, args...); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// value is one value by column name; nil when there is none.
func (r rows) value(row int, name string) any {
	for i, n := range r.columns {
		if n == name && row < len(r.values) {
			return r.values[row][i]
		}
	}
	return nil
}
