package page

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The sizes of Home.
const (
	lastWatched = 6
	weekDays    = 7
)

// homeData is the data of the page Home.
type homeData struct {
	entry.Watched // in the last weekDays
	Playing       []playingItem
	Last          []item
	Week          []bar
}

// playingItem is an item that is playing now.
type playingItem struct {
	item
	control.Playing
}

// Part returns how much has been played, in percent; 0 if that is not known.
func (p playingItem) Part() int { return p.Percent(time.Now()) }

func showHome(v *view) (any, error) {
	d := &homeData{}
	for _, p := range v.Status.Playing {
		d.Playing = append(d.Playing, playingItem{v.Item(entry.Entry{Media: &p.Media, Source: p.Source, Kind: viewing.KindViewing}), p})
	}
	days, err := v.api().Days(v.ctx(), weekDays)
	if err != nil {
		return nil, err
	}
	viewings := map[time.Weekday]int{}
	for _, day := range days {
		d.Add(day.Watched)
		viewings[day.Date.Weekday()] = day.Viewings()
	}
	d.Week = bars(weekDays, 2, func(i int) (string, int) {
		day := time.Now().AddDate(0, 0, i+1-weekDays).Weekday()
		return v.Weekday(day), viewings[day]
	})
	last, err := v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindViewing, Counted: true, ByTime: true, Limit: lastWatched})
	d.Last = v.items(last)
	return d, err
}

// Worst returns the most severe problem, which Home shows in one line; nil for none.
func (v *view) Worst() *control.Problem {
	if i := slices.IndexFunc(v.Status.Problems, func(p control.Problem) bool { return p.Severity != control.Note }); i >= 0 {
		return &v.Status.Problems[i]
	}
	return nil
}
