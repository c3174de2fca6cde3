package terminal

import (
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"
)

// minCut is the minimum width of a shortened cell.
const minCut = 12

// Table aligns cells in columns. On a terminal one column is shortened so that lines fit.
type Table struct {
	o    *Printer
	cut  int
	rows [][]string
}

// Table returns a table in which the column with index cut may be shortened. The headings are
// keys of the catalogue below "cli.column.".
func (o *Printer) Table(cut int, headings ...string) *Table {
	row := make([]any, len(headings))
	for i, key := range headings {
		row[i] = o.Speech().Say("cli.column." + key)
	}
	t := &Table{o: o, cut: cut}
	t.Row(row...)
	return t
}

// Row adds a row of sanitized values.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = sanitize(fmt.Sprint(t.o.rendered(cell)), "")
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
	_ = w.Flush() // fails only if the reader is gone
}

// limit returns the maximum width of the shortened column; 0 without a terminal.
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
	return max(columns, minCut)
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
