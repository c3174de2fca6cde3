package page

import (
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
)

// statisticsData is the data of the page Statistics.
type statisticsData struct {
	entry.Year
	Weeks []heatWeek
	Bars  []bar // one for each month
	Years []int // other years, the latest first
}

// heatWeek is a column of the heat map: seven days from Monday.
type heatWeek struct {
	X     int // position in the drawing
	Month string
	Days  []heatDay
}

// heatDay is one day of the heat map.
type heatDay struct {
	Y     int
	Level int // 0 to 4
	Text  string
}

// bar is one bar of a chart.
type bar struct {
	Name, Short string
	N           int
	Top, High   int // in percent of the highest bar
}

// bars returns a chart of n numbers, each with a name that is cut to some letters.
func bars(n, letters int, at func(i int) (name string, n int)) []bar {
	list, most := make([]bar, n), 1
	for i := range list {
		list[i].Name, list[i].N = at(i)
		list[i].Short = string([]rune(list[i].Name)[:letters])
		most = max(most, list[i].N)
	}
	for i, b := range list {
		list[i].High = b.N * 100 / most
		list[i].Top = 100 - list[i].High
	}
	return list
}

// heatCell is the size of a day in the heat map, with its margin.
const heatCell = 14

func showStatistics(v *view) (any, error) {
	now := time.Now()
	year, err := strconv.Atoi(v.Typed("year"))
	if err != nil || year < 1900 || year > now.Year()+1 {
		year = now.Year()
	}
	numbers, err := v.api().Year(v.ctx(), year)
	if err != nil {
		return nil, err
	}
	d := &statisticsData{Year: numbers}
	for y := min(numbers.Last, now.Year()); y >= numbers.First && y > 0; y-- {
		if y != year {
			d.Years = append(d.Years, y)
		}
	}
	d.drawHeat(v)
	d.Bars = bars(len(d.Months), 3, func(i int) (string, int) { return v.MonthName(time.Month(i + 1)), d.Months[i].Viewings() })
	return d, nil
}

// drawHeat fills the heat map, with a column for each week.
func (d *statisticsData) drawHeat(v *view) {
	most, byDay := 1, map[int]entry.Watched{}
	for _, day := range d.Days {
		byDay[day.Date.YearDay()] = day.Watched
		most = max(most, day.Viewings())
	}
	for at := time.Date(d.Year.Year, 1, 1, 12, 0, 0, 0, time.Local); at.Year() == d.Year.Year; at = at.AddDate(0, 0, 1) {
		weekday := (int(at.Weekday()) + 6) % 7
		if weekday == 0 || len(d.Weeks) == 0 {
			week := heatWeek{X: len(d.Weeks) * heatCell}
			if at.Day() <= 7 && weekday == 0 {
				week.Month = string([]rune(v.MonthName(at.Month()))[:3])
			}
			d.Weeks = append(d.Weeks, week)
		}
		n := byDay[at.YearDay()].Viewings()
		level := 0
		if n > 0 {
			level = 1 + (n*4-1)/(most+1)
		}
		week := &d.Weeks[len(d.Weeks)-1]
		week.Days = append(week.Days, heatDay{weekday*heatCell + heatCell, min(level, 4), v.Say("stats.day", "n", n, "day", v.Day(at, time.Time{}))})
	}
}

// Hours returns minutes as rounded hours.
func (v *view) Hours(minutes int) string { return v.Value((minutes + 30) / 60) }

// Unmeasured returns how many viewings of the year are of unknown length.
func (d *statisticsData) Unmeasured() int { return d.Sum.Viewings() - d.Sum.Measured }

// Width returns the width of the heat map.
func (d *statisticsData) Width() int { return len(d.Weeks) * heatCell }
