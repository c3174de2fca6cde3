package transfer

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// jellyfinForm is the backup of Jellyfin's Playback Reporting: sittings, in lines without
// names of their columns.
var jellyfinForm = Format{Name: "jellyfin", Is: isJellyfin, Read: reading(readJellyfin)}

// The columns.
const (
	jellyfinBegan = iota
	jellyfinUser
	jellyfinItem
	jellyfinType
	jellyfinName
	_ // how it was played
	_ // the program
	_ // the device
	jellyfinPlayed
	jellyfinColumns
)

func isJellyfin(f *File) bool {
	first, _, _ := strings.Cut(f.Only().Head(), "\n")
	fields := strings.Split(first, "\t")
	_, _, isTime := newCalendar(Options{}).instant(fields[jellyfinBegan])
	return len(fields) == jellyfinColumns && isTime
}

// jellyfinEpisode is the name of an episode: "Series - s01e02 - Title".
var jellyfinEpisode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?) - [sS](\d+)[eE](\d+) - (.*)$`)
})

func readJellyfin(f *File, o Options, give func(Row) error) error {
	p, keys, days, seen := f.Only(), newKeys("jellyfin"), newCalendar(o), newSittings()
	err := p.eachRaw(func(line Line) error {
		if len(line.Fields) == jellyfinColumns {
			seen.see(line.Fields[jellyfinItem], number(line.Fields[jellyfinPlayed]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.eachRaw(func(line Line) error { return give(jellyfinRow(line.Fields, keys, days, seen)) })
}

// jellyfinRow reads one sitting.
func jellyfinRow(fields []string, keys *keys, days *calendar, seen *sittings) Row {
	if len(fields) != jellyfinColumns {
		return Row{Key: keys.next(fields...), Skip: SkipUnreadable}
	}
	item, person, kind := fields[jellyfinItem], fields[jellyfinUser], fields[jellyfinType]
	row := Row{Key: keys.next(fields[jellyfinBegan], person, item), Person: clean(person)}
	m := viewing.Media{Type: viewing.Movie, Title: clean(fields[jellyfinName])}
	if parts := jellyfinEpisode().FindStringSubmatch(m.Title); kind == "Episode" {
		m.Type = viewing.Episode
		if parts != nil {
			m.Show, m.Title = &viewing.Show{Title: parts[1]}, parts[4]
			m.Season, m.Episode = placeOf(parts[2]), placeOf(parts[3])
		}
	}
	began, _, ok := days.instant(fields[jellyfinBegan])
	played := number(fields[jellyfinPlayed])
	ended := time.UnixMilli(began.Millis).Add(time.Duration(played) * time.Second)
	row.Event = viewed(m, viewing.At(ended.In(days.zone)))
	row.Event.Progress = &viewing.Progress{Played: float64(played)}
	switch {
	case kind != "Movie" && kind != "Episode":
		row.Skip = SkipOther
	case !ok:
		row.Skip = SkipUnreadable
	case !seen.isViewing(person, item, ended, played, 0):
		row.Skip = SkipUnfinished
	}
	return row
}
