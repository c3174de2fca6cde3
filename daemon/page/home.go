package page

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The sizes of the first page.
const (
	lastWatched = 5
	lastLimit   = 100 // viewings that are read for these, with those that are held
	weekDays    = 7
	weekLimit   = 1000 // viewings of a week that are counted
)

// homeData is what the first page shows.
type homeData struct {
	Playing  []playingItem
	Last     []item
	Week     []weekDay
	Films    int
	Episodes int
}

// playingItem is what plays now.
type playingItem struct {
	item
	control.Playing
}

// Part returns how much of it has been played, of 100; 0 where that is not known.
func (p playingItem) Part() int { return p.Percent(time.Now()) }

// weekDay is one day of the last seven.
type weekDay struct {
	Name      string
	N         int
	Top, High int // of its bar, of 100, against the busiest day
}

func showHome(v *view) (any, error) {
	d := &homeData{}
	for _, p := range v.Status.Playing {
		d.Playing = append(d.Playing, playingItem{v.Item(entry.Entry{Media: &p.Media, Source: p.Source, Kind: viewing.KindViewing}), p})
	}
	now := time.Now()
	begin := time.Date(now.Year(), now.Month(), now.Day()-weekDays+1, 0, 0, 0, 0, time.Local)
	week, err := v.api().List(v.ctx(), entry.Filter{
		Kind: viewing.KindViewing, Kept: true, ByTime: true, Since: begin, Before: begin.AddDate(0, 0, weekDays), Limit: weekLimit,
	})
	if err != nil {
		return nil, err
	}
	d.count(v, week, begin)
	last, err := v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindViewing, Kept: true, ByTime: true, Limit: lastLimit})
	last = slices.DeleteFunc(last, func(e entry.Entry) bool { return !e.Counted() })
	d.Last = v.items(last[:min(len(last), lastWatched)])
	return d, err
}

// count counts the viewings of the days since begin.
func (d *homeData) count(v *view, week []entry.Entry, begin time.Time) {
	days, most := map[string]int{}, 1
	for _, e := range week {
		if !e.Counted() {
			continue
		}
		if e.Media.Type == viewing.Movie {
			d.Films++
		} else {
			d.Episodes++
		}
		day := e.WatchedAt.Time().Local().Format(time.DateOnly)
		days[day]++
		most = max(most, days[day])
	}
	for i := range weekDays {
		day := begin.AddDate(0, 0, i)
		n := days[day.Format(time.DateOnly)]
		d.Week = append(d.Week, weekDay{v.Weekday(day.Weekday()), n, 100 - n*100/most, n * 100 / most})
	}
}

// Worst returns the problem that the quiet line of the first page tells; nil for none.
func (v *view) Worst() *control.Problem {
	if i := slices.IndexFunc(v.Status.Problems, func(p control.Problem) bool { return p.Severity != control.Note }); i >= 0 {
		return &v.Status.Problems[i]
	}
	return nil
}
