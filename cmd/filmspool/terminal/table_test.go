package terminal

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWidthsAreThoseOfATerminal: wide characters take two columns, marks none.
func TestWidthsAreThoseOfATerminal(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "Amélie": 6, "Ame\u0301lie": 6, "千と千尋": 8, "ＡＢ": 4, "기생충": 6, "🎬 x": 4, "می\u200cخواهم": 7, "½ “x” —": 7,
	} {
		if got := wide(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// printed is what a table prints on a terminal of some width; 0 is no terminal.
func printed(t rapid.TB, columns, wrapped int, rows [][]string) string {
	var out strings.Builder
	table := To(&out).Table(2, wrapped)
	table.columns = columns
	for _, row := range rows {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		table.Row(cells...)
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTablesAreLaidOut as wide as the terminal lets them be. A hint stays whole.
func TestTablesAreLaidOut(t *testing.T) {
	list := [][]string{
		{"ID", "STATE", "WHAT", "WATCHED"},
		{"7", "held", "千と千尋の神隠し, or Spirited Away", "2026-03-01 20:15"},
		{"12", "pending", "Alien", ""},
		{"    a line across all columns, which says why"},
	}
	story := [][]string{{"state", "in doubt  answer"}, {"", "It may have arrived or not."}, {"hint", "filmspool queue settle 7 --as delivered"}}
	for _, c := range []struct {
		columns, wrapped int
		rows             [][]string
		want             string
	}{
		{0, 2, list, `ID  STATE    WHAT                                WATCHED
7   held     千と千尋の神隠し, or Spirited Away  2026-03-01 20:15
12  pending  Alien
    a line across all columns, which says why
`},
		{56, 2, list, `ID  STATE    WHAT                       WATCHED
7   held     千と千尋の神隠し, or       2026-03-01 20:15
             Spirited Away
12  pending  Alien
    a line across all columns, which says why
`},
		{40, 2, list, `ID  STATE  WHAT  WATCHED
7  held
    千と千尋の神隠し, or Spirited Away
    2026-03-01 20:15
12  pending  Alien
    a line across all columns, which
    says why
`},
		{29, 1, story, `state  in doubt  answer
       It may have arrived or
       not.
hint   filmspool queue settle 7 --as delivered
`},
		{43, 0, [][]string{{"waiting 1   held 0   in doubt 0   rejected 0"}}, "waiting 1   held 0   in doubt 0\nrejected 0\n"},
		{24, 1, story, `state  in doubt  answer
    It may have arrived
    or not.
hint  filmspool queue settle 7 --as delivered
`},
	} {
		if got := printed(t, c.columns, c.wrapped, c.rows); got != c.want {
			t.Errorf("on %d columns:\n%swant\n%s", c.columns, got, c.want)
		}
	}
}

// TestNoLineIsWiderThanTheTerminal: whatever stands in a table, nothing of it is
// left out, and only the text of one column is broken while the others fit.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	word := rapid.StringMatching(`[a-zäß千と🎬]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(40, 200).Draw(t, "columns")
		wrapped := rapid.IntRange(0, 3).Draw(t, "wrapped")
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []string {
			row := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9千]{0,18}`), 4, 4).Draw(t, "cells")
			row[wrapped] = strings.Join(rapid.SliceOf(word).Draw(t, "text"), " ")
			if rapid.IntRange(0, 9).Draw(t, "across") == 0 {
				return []string{"    " + row[wrapped]}
			}
			return row
		}), 1, 6).Draw(t, "rows")
		got := printed(t, columns, wrapped, rows)
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if wide(line) > columns && !strings.HasPrefix(strings.TrimLeft(line, " "), "hint") {
				t.Errorf("%d columns of %d: %q\n%s", wide(line), columns, line, got)
			}
		}
		var all string
		for _, row := range rows {
			all += strings.Join(row, "")
			for i, cell := range row {
				if i != wrapped && len(row) > 1 && !strings.Contains(got, cell) {
					t.Errorf("%q is broken:\n%s", cell, got)
				}
			}
		}
		if letters(got) != letters(all) {
			t.Errorf("something is left out of %q:\n%s", rows, got)
		}
	})
}

// letters are those of a text, in their own order, so that places do not matter.
func letters(text string) string {
	all := []rune(strings.Join(strings.Fields(text), ""))
	slices.Sort(all)
	return string(all)
}
