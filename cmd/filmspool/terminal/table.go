package terminal

import (
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"
)

// leastCut is how much of a cell is shown at least.
const leastCut = 12

// Table aligns cells in columns. On a terminal the cells of one column are shortened so that
// no line is wider than that.
type Table struct {
	o    *Printer
	cut  int
	rows [][]string
}

// Table begins a table whose column cut may be shortened, counted from 0. The columns have
// the keys of their headings in the catalogue, below "cli.column.".
func (o *Printer) Table(cut int, headings ...string) *Table {
	row := make([]any, len(headings))
	for i, key := range headings {
		row[i] = o.Speech().Say("cli.column." + key)
	}
	t := &Table{o: o, cut: cut}
	t.Row(row...)
	return t
}

// Row adds a row of harmless values.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = harmless(fmt.Sprint(t.o.shown(cell)), "")
	}
	t.rows = append(t.rows, row)
}

// Flush prints the table.
func (t *Table) Flush() {
	limit := t.limit()
	w := tabwriter.NewWriter(t.o.w, 0, 0, 2, ' ', 0)
	for _, row := range t.rows {
		for i, cell := range row {
			if letters := []rune(cell); i == t.cut && limit > 0 && len(letters) > limit {
				cell = string(letters[:limit-1]) + "…"
			}
			if i < len(row)-1 {
				cell += "\t"
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // a reader that went away needs no more
}

// limit is how wide the column that is cut may be; 0 where there is no terminal.
func (t *Table) limit() int {
	columns := t.o.columns()
	if columns == 0 {
		return 0
	}
	for i := range t.rows[0] {
		if i == t.cut {
			continue
		}
		widest := 0
		for _, row := range t.rows {
			widest = max(widest, utf8.RuneCountInString(row[i]))
		}
		columns -= widest + 2
	}
	return max(columns, leastCut)
}

// columns returns the width of the terminal, or 0 without one.
func (o *Printer) columns() int {
	file, ok := o.w.(*os.File)
	if !ok || !IsTerminal(file) {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	n, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return n
}
