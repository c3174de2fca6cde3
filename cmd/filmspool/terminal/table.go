package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// leastWrapped is the narrowest that a column of text may become, in columns of a
// terminal; a table that would need less has its cells one behind the other.
const leastWrapped = 20

// Table aligns cells in columns. On a terminal no line is wider than that, but
// hints, whose commands are to be copied. Elsewhere lines are as long as they are.
type Table struct {
	*Printer
	columns, gap int
	wrapped      int // which column is wrapped where the table is too wide
	rows         [][]string
}

// Table begins a table whose columns are gap apart. Where it is too wide for the
// terminal, the text of the column wrapped goes on below, counted from 0.
func (o *Printer) Table(gap, wrapped int) *Table {
	return &Table{Printer: o, columns: o.columns(), gap: gap, wrapped: wrapped}
}

// columns is how wide the terminal is; 0 where there is none.
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

// Row adds a row of harmless values. One cell alone stands across all columns.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = harmless(fmt.Sprint(t.shown(cell)), "")
	}
	t.rows = append(t.rows, row)
}

// Flush prints the table.
func (t *Table) Flush() error {
	var text strings.Builder
	widths := t.widths()
	for _, row := range t.rows {
		for _, line := range t.lines(row, widths) {
			text.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	if _, err := io.WriteString(t.w, text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// widths are those of the columns; nil when they cannot fit.
func (t *Table) widths() (widths []int) {
	for _, row := range t.rows {
		if len(row) == 1 {
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], wide(cell))
		}
	}
	over := t.gap*(len(widths)-1) - t.columns
	for _, n := range widths {
		over += n
	}
	switch {
	case t.columns == 0 || over <= 0:
	case widths[t.wrapped]-over < leastWrapped:
		return nil
	default:
		widths[t.wrapped] -= over
	}
	return widths
}

// lines are those of one row.
func (t *Table) lines(row []string, widths []int) (lines []string) {
	if strings.HasPrefix(strings.TrimLeft(row[0], " "), "hint") {
		t = &Table{gap: t.gap, wrapped: t.wrapped} // has no end
	}
	if len(row) == 1 || widths == nil {
		for _, line := range t.flow(row) {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			for _, part := range wrap(line[len(indent):], t.columns-len(indent)) {
				lines = append(lines, indent+part)
			}
		}
		return lines
	}
	parts := []string{row[t.wrapped]}
	if t.columns > 0 {
		parts = wrap(row[t.wrapped], widths[t.wrapped])
	}
	for i, part := range parts {
		var line strings.Builder
		for column, cell := range row {
			switch {
			case column == t.wrapped:
				cell = part
			case i > 0:
				cell = ""
			}
			line.WriteString(cell + strings.Repeat(" ", max(0, widths[column]-wide(cell))+t.gap))
		}
		lines = append(lines, line.String())
	}
	return lines
}

// flow puts cells one behind the other, as many as a line takes.
func (t *Table) flow(row []string) (lines []string) {
	const indent = "    "
	line := row[0]
	for _, cell := range row[1:] {
		switch gap := strings.Repeat(" ", t.gap); {
		case cell == "":
		case line != "" && (t.columns == 0 || wide(line)+t.gap+wide(cell) <= t.columns):
			line += gap + cell
		default:
			if line != "" {
				lines = append(lines, line)
			}
			line = indent + cell
		}
	}
	return append(lines, line)
}

// wrap breaks a text into lines, between words where that can be, rather where two
// spaces are. None is wider than columns, unless there is hardly one.
func wrap(text string, columns int) (lines []string) {
	for columns > 1 && wide(text) > columns {
		end, used := 0, 0
		for i, r := range text {
			if used += wideRune(r); used > columns && i > 0 {
				break
			}
			end = i + len(string(r))
		}
		space := strings.LastIndex(text[:end+1], "  ")
		if space <= end/2 {
			space = strings.LastIndexByte(text[:end+1], ' ')
		}
		if space > 0 {
			end = space
		}
		lines = append(lines, strings.TrimRight(text[:end], " "))
		text = strings.TrimLeft(text[end:], " ")
	}
	return append(lines, text)
}

// wide is how many columns of a terminal a text takes.
func wide(text string) (n int) {
	for _, r := range text {
		n += wideRune(r)
	}
	return n
}

// wideRune is 2 for what Chinese, Japanese and Korean write in full width, and for
// most emojis; 0 for what stands over or joins others (Unicode, UAX #11).
func wideRune(r rune) int {
	kind := width.LookupRune(r).Kind()
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
