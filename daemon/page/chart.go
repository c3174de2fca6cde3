package page

import (
	"maps"
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The size of the chart, in its own units.
const (
	chartHeight = 120
	dayWidth    = 20
	barWidth    = 14
)

// chart is what was watched by day and kind of source, drawn as stacked bars. Each
// kind has a pattern of its own, so that colour alone says nothing.
type chart struct {
	Title  string
	Total  int64
	Most   int64 // on one day
	Width  int
	Height int
	Kinds  []string // as the table's columns, and as the patterns count
	Bars   []bar
	Rows   []dayRow
}

// bar is one rectangle.
type bar struct{ X, Y, Height, Kind int }

// dayRow is one day of the table behind the bars.
type dayRow struct {
	Day    string
	Counts []int64 // by kind
}

// draw makes the chart of some days.
func draw(v *visit, days []entry.Day) chart {
	c := chart{Width: dayWidth * len(days), Height: chartHeight, Kinds: kindsIn(days)}
	for _, d := range days {
		sum := int64(0)
		for _, n := range d.Viewings {
			sum += n
		}
		c.Total, c.Most = c.Total+sum, max(c.Most, sum)
	}
	for i, d := range days {
		row := dayRow{Day: d.Day}
		below, foot := int64(0), 0 // what stands under a bar, and how high
		for kind, name := range c.Kinds {
			n := d.Viewings[name]
			row.Counts = append(row.Counts, n)
			if n > 0 {
				top := max(c.level(below+n), foot+1)
				c.Bars = append(c.Bars, bar{X: i * dayWidth, Y: chartHeight - top, Height: top - foot, Kind: c.Pattern(kind)})
				below, foot = below+n, top
			}
		}
		c.Rows = append(c.Rows, row)
	}
	c.Title = v.Say("now.chart", "n", c.Total, "most", c.Most)
	return c
}

// level is how high a number of viewings stands. There is room above for bars that are
// drawn higher than they are, to be seen.
func (c chart) level(n int64) int { return int(n * (chartHeight - 10) / max(c.Most, 1)) }

// Pattern is the number of the pattern that a kind is filled with. The last one is for
// all others.
func (c chart) Pattern(kind int) int { return min(kind, 4) }

// Last is the last day.
func (c chart) Last() string { return c.Rows[len(c.Rows)-1].Day }

// BarWidth is how broad each bar is.
func (c chart) BarWidth() int { return barWidth }

// kindsIn are the kinds of source that told of anything: ours in their order, then
// others.
func kindsIn(days []entry.Day) (kinds []string) {
	there := map[string]bool{}
	for _, d := range days {
		for kind := range d.Viewings {
			there[kind] = true
		}
	}
	for _, kind := range viewing.Sources() {
		if there[kind] {
			kinds = append(kinds, kind)
			delete(there, kind)
		}
	}
	return append(kinds, slices.Sorted(maps.Keys(there))...)
}
