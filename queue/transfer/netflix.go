package transfer

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// netflixForm is what Netflix gives: the page of a profile with titles and days, or the
// sittings of all profiles from a request for the account's data.
var netflixForm = Format{Name: "netflix", Is: isNetflix, Read: reading(readNetflix)}

// severalTitles is how many titles of a file must begin alike to be episodes of a series.
const severalTitles = 4

func isNetflix(f *File) bool { return netflixPage(f) != nil || netflixSittings(f) != nil }

// netflixPage is the page. Its column names are in the language of the profile.
func netflixPage(f *File) *Part {
	p := f.Only()
	if len(p.Columns()) != 2 {
		return nil
	}
	for line, err := range p.Lines() {
		if err != nil || len(line.Fields) != 2 || line.Number > 10 {
			return nil
		}
		if dayForm().MatchString(line.Fields[1]) {
			return p
		}
	}
	return nil
}

// netflixSittings is the one member that is read of an archive with other private data.
func netflixSittings(f *File) *Part {
	for _, p := range f.Named("viewingactivity.csv", "*/viewingactivity.csv") {
		if p.Has("profile name", "start time", "duration", "title") {
			return p
		}
	}
	return nil
}

func readNetflix(f *File, o Options, give func(Row) error) error {
	if sittings := netflixSittings(f); sittings != nil {
		return readNetflixSittings(sittings, o, give)
	}
	p, days, keys, titles := netflixPage(f), newCalendar(o), newKeys("netflix"), netflixTitles{}
	names := p.Columns()
	err := p.each(func(line Line) error {
		titles.see(line.Get(names[0]))
		return days.see(line, names[1])
	})
	if err != nil {
		return err
	}
	return p.each(func(line Line) error {
		title, day := line.Get(names[0]), line.Get(names[1])
		at, ambiguous, ok := days.instant(day)
		row := Row{Key: keys.next("page", title, day), Event: viewed(titles.media(title), at), Ambiguous: ambiguous}
		switch {
		case isTrailer(title):
			row.Skip = SkipOther
		case !ok || clean(title) == "":
			row.Skip = SkipUnreadable
		}
		return give(row)
	})
}

func readNetflixSittings(p *Part, o Options, give func(Row) error) error {
	days, keys, titles, seen := newCalendar(o), newKeys("netflix"), netflixTitles{}, newSittings()
	isOther := func(line Line) bool {
		autoplay := strings.Contains(line.Get("attributes"), "Autoplayed: user action: None")
		return line.Get("supplemental video type") != "" || autoplay || isTrailer(line.Get("title"))
	}
	err := p.each(func(line Line) error {
		if !isOther(line) {
			titles.see(line.Get("title"))
			seen.see(line.Get("title"), clock(line.Get("bookmark")))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.each(func(line Line) error {
		title, start, profile := line.Get("title"), line.Get("start time"), line.Get("profile name")
		began, err := time.Parse(time.DateTime, start)
		played, reached := clock(line.Get("duration")), clock(line.Get("bookmark"))
		ended := began.Add(time.Duration(played) * time.Second)
		row := Row{Key: keys.next("sitting", profile, start, title), Person: clean(profile)}
		row.Event = viewed(titles.media(title), viewing.At(ended.In(days.zone)))
		row.Event.Progress = &viewing.Progress{Position: float64(reached), Played: float64(played)}
		switch {
		case isOther(line):
			row.Skip = SkipOther
		case err != nil || clean(title) == "":
			row.Skip = SkipUnreadable
		case !seen.isViewing(profile, title, ended, played, reached):
			row.Skip = SkipUnfinished
		}
		return give(row)
	})
}

// clock reads a length such as 01:23:45 in seconds; 0 where it is none.
func clock(text string) (seconds int) {
	for part := range strings.SplitSeq(text, ":") {
		seconds = seconds*60 + number(part)%100
	}
	return seconds
}

// isTrailer reports titles of what is shown beside films and episodes.
func isTrailer(title string) bool {
	marks := []string{"_hook_", "_backfill", "Clip:", "Trailer:"}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(title, mark) })
}

// The words of Netflix's titles in the languages that it is used in most. Seasons count as
// seasons; parts of a series do not.
const (
	seasonWord  = `season|series|staffel|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon|kausi`
	partWord    = `part|volume|vol\.|book|chapter|teil|buch|kapitel|partie|livre|chapitre|parte|libro|capítulo|capitolo|volumen`
	wholeWord   = `limited series|miniseries|mini-series|miniserie|mini-serie|minisérie|serie limitada`
	episodeWord = `episode|folge|épisode|episodio|episódio|aflevering|avsnitt|afsnit|odcinek|jakso`
)

// The forms of a title: "Series: Season 2: Episode", "Series: Part 2: Episode", and an
// episode's number as the whole name or in brackets behind it.
var netflixForms = sync.OnceValue(func() (forms struct{ season, part, number *regexp.Regexp }) {
	const colon = `[ \x{a0}\x{202f}]?: ` // French has a blank before it
	forms.season = regexp.MustCompile(`(?i)^(.+?)` + colon + `(?:` + seasonWord + `) (\d{1,3})` + colon + `(.+)$`)
	forms.part = regexp.MustCompile(`(?i)^(.+?)` + colon + `((?:(?:` + seasonWord + `|` + partWord + `) [^:]+|` + wholeWord + `): .+)$`)
	forms.number = regexp.MustCompile(`(?i)^(?:(.+) \()?(?:` + episodeWord + `) (\d{1,4})\)?$`)
	return forms
})

// netflixTitles tells series from films by how many titles of a file begin alike.
type netflixTitles map[uint64][]uint64 // the titles after each beginning

func (n netflixTitles) see(title string) {
	if begin, _, found := strings.Cut(title, ": "); found {
		key, whole := hashed(begin), hashed(title)
		if known := n[key]; len(known) < severalTitles && !slices.Contains(known, whole) {
			n[key] = append(known, whole)
		}
	}
}

// media is what a title says. Where it may be a film it is one, with its whole title.
func (n netflixTitles) media(title string) viewing.Media {
	title = clean(title)
	forms := netflixForms()
	if parts := forms.season.FindStringSubmatch(title); parts != nil {
		return netflixEpisode(parts[1], parts[3], placeOf(parts[2]))
	}
	begin, rest, found := strings.Cut(title, ": ")
	isNumber, isDoubled := forms.number.MatchString(rest), strings.HasPrefix(rest, begin+" ")
	if parts := forms.part.FindStringSubmatch(title); parts != nil && !isDoubled {
		return netflixEpisode(parts[1], parts[2], nil)
	}
	if found && (isNumber || isDoubled || len(n[hashed(begin)]) >= severalTitles) {
		return netflixEpisode(begin, rest, nil)
	}
	return viewing.Media{Type: viewing.Movie, Title: title}
}

func netflixEpisode(show, title string, season *int) viewing.Media {
	m := viewing.Media{Type: viewing.Episode, Title: title, Season: season}
	if parts := netflixForms().number.FindStringSubmatch(title); parts != nil {
		m.Episode = placeOf(parts[2])
		if parts[1] != "" {
			m.Title = parts[1]
		}
	}
	if m.Show = (&viewing.Show{Title: clean(show)}); m.Show.Title == "" {
		m.Show, m.Unsure = nil, true // a title that Netflix has removed
	}
	return m
}
