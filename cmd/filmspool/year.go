package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sayYear prints the statistics of a year.
func (p *program) sayYear(y entry.Year) {
	speech := p.stdout.Speech()
	hours := func(minutes int) string { return speech.Value((minutes + 30) / 60) }
	count := func(n int, key string) string { return speech.Value(n) + " " + speech.Say(key, "n", n) }
	p.stdout.Say("cli.year.sum", "year", strconv.Itoa(y.Year), "films", count(y.Sum.Films, "home.films"),
		"episodes", count(y.Sum.Episodes, "home.episodes"), "hours", hours(y.Sum.Minutes), "days", count(len(y.Days), "stats.days"))
	if y.Sum.Viewings() == 0 {
		return
	}
	if without := y.Sum.Viewings() - y.Sum.Measured; without > 0 {
		p.stdout.Say("stats.unmeasured", "n", without)
	}
	p.stdout.Println()
	t := p.stdout.Table(0, "month", "films", "episodes", "hours")
	for i, m := range y.Months {
		if m.Viewings() > 0 {
			t.Row(speech.MonthName(time.Month(i+1)), speech.Value(m.Films), speech.Value(m.Episodes), hours(m.Minutes))
		}
	}
	t.Flush()
	var kinds []entry.Ranked
	for _, s := range y.BySource {
		name := p.kind(viewing.SourceKind(s.Name))
		i := slices.IndexFunc(kinds, func(k entry.Ranked) bool { return k.Name == name })
		if i < 0 {
			i, kinds = len(kinds), append(kinds, entry.Ranked{Name: name})
		}
		kinds[i].N += s.N
	}
	for _, list := range []struct {
		heading string
		ranks   []entry.Ranked
	}{{"series", y.Series}, {"again", y.Films}, {"sources", kinds}} {
		if len(list.ranks) == 0 {
			continue
		}
		p.stdout.Println()
		t := p.stdout.Table(1, "times", list.heading)
		for _, r := range list.ranks {
			t.Row(speech.Value(r.N), speech.Work(r))
		}
		t.Flush()
	}
}
