package transfer

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// isNetflixPage reports whether the part is the viewing activity page of a profile: titles and
// days, with column names in the language of the profile. The other Netflix format, with
// sittings of all profiles, comes from a request for the account's data.
func isNetflixPage(p *Part) bool {
	for line, err := range p.lines("title,watched_at", false) {
		if err != nil || len(line.Fields) != 2 || line.Number > 10 {
			return false
		}
		if _, isTime := parseTime(line.Fields[1]); isTime || dayForm.MatchString(line.Fields[1]) {
			return true
		}
	}
	return false
}

// learnNetflix learns series and running times from a line.
func learnNetflix(r *reader, line Line) {
	if netflixSkip(line) == "" {
		r.learnNetflixTitle(line.Get("title"))
		r.learnLength(line.Get("title"), parseClock(line.Get("bookmark")))
	}
}

// netflixPageRow reads a line of the viewing activity page.
func netflixPageRow(r *reader, line Line) Row {
	row := r.viewingRow(r.netflixMedia(line.Get("title")), line.Get("watched_at"))
	row.Skip = cmp.Or(netflixSkip(line), row.Skip)
	return row
}

// netflixSittingRow reads a sitting from the data of an account.
func netflixSittingRow(r *reader, line Line) Row {
	title, skip := line.Get("title"), netflixSkip(line)
	began, err := time.Parse(time.DateTime, line.Get("start time"))
	if err != nil {
		skip = cmp.Or(skip, SkipUnreadable)
	}
	played, reached := parseClock(line.Get("duration")), parseClock(line.Get("bookmark"))
	return r.sittingRow(r.netflixMedia(title), line.Get("person"), title, began, played, reached, skip)
}

// parseClock parses a length such as 01:23:45 to seconds.
func parseClock(text string) (seconds int) {
	for part := range strings.SplitSeq(text, ":") {
		seconds = seconds*60 + numberOrZero(part)%100
	}
	return seconds
}

// netflixOther matches the titles of trailers, clips and promotions.
var netflixOther = regexp.MustCompile(`_hook_|_backfill|Clip:|Trailer:`)

// netflixSkip returns the skip reason of a line that is not a film or an episode, or "".
func netflixSkip(line Line) Skip {
	title, autoplayed := line.Get("title"), strings.Contains(line.Get("attributes"), "Autoplayed: user action: None")
	switch {
	case autoplayed || line.Get("supplemental video type") != "" || netflixOther.MatchString(title):
		return SkipOther
	case title == "":
		return SkipUnreadable
	}
	return ""
}

// The words in Netflix's titles in its most common languages. A season gives a season number; a
// part of a series does not.
const (
	seasonWord     = `season|series|staffel|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon|kausi`
	partWord       = `part|volume|vol\.|book|chapter|teil|buch|kapitel|partie|livre|chapitre|parte|libro|capítulo|capitolo|volumen`
	miniseriesWord = `limited series|miniseries|mini-series|miniserie|mini-serie|minisérie|serie limitada`
	episodeWord    = `episode|folge|épisode|episodio|episódio|aflevering|avsnitt|afsnit|odcinek|jakso`
	colon          = `[ \x{a0}\x{202f}]?: ` // French puts a space before it
)

// The forms of a title: "Series: Season 2: Episode", "Series: Part 2: Episode", and an
// episode number as the whole name or in parentheses after it.
var (
	seasonForm = regexp.MustCompile(`(?i)^(.+?)` + colon + `(?:` + seasonWord + `) (\d{1,3})` + colon + `(.+)$`)
	partForm   = regexp.MustCompile(`(?i)^(.+?)` + colon + `((?:(?:` + seasonWord + `|` + partWord + `) [^:]+|` + miniseriesWord + `): .+)$`)
	numberForm = regexp.MustCompile(`(?i)^(?:(.+) \()?(?:` + episodeWord + `) (\d{1,4})\)?$`)
)

// minSeriesTitles is how many titles of a file must have the same prefix to be episodes of a series.
const minSeriesTitles = 4

// learnNetflixTitle counts the different titles with the same prefix.
func (r *reader) learnNetflixTitle(title string) {
	prefix, _, found := strings.Cut(title, ": ")
	seriesKey, titleKey := shortHash(prefix+": "), shortHash("whole "+title)
	if found && r.numbers[titleKey] == 0 && r.numbers[seriesKey] < minSeriesTitles {
		r.numbers[titleKey] = 1
		r.numbers[seriesKey]++
	}
}

// netflixMedia parses a title. If it may be a film, it returns a film with the whole title.
func (r *reader) netflixMedia(title string) viewing.Media {
	if parts := seasonForm.FindStringSubmatch(title); parts != nil {
		return netflixEpisode(parts[1], parts[3], parseNumber(parts[2]))
	}
	prefix, rest, found := strings.Cut(title, ": ")
	isDoubled := strings.HasPrefix(rest, prefix+" ")
	if parts := partForm.FindStringSubmatch(title); parts != nil && !isDoubled {
		return netflixEpisode(parts[1], parts[2], nil)
	}
	if found && (isDoubled || numberForm.MatchString(rest) || r.numbers[shortHash(prefix+": ")] >= minSeriesTitles) {
		return netflixEpisode(prefix, rest, nil)
	}
	return viewing.Media{Type: viewing.Movie, Title: title}
}

// netflixEpisode returns an episode, with its number if the title has one.
func netflixEpisode(show, title string, season *int) viewing.Media {
	m := viewing.Media{Type: viewing.Episode, Title: title, Season: season}
	if parts := numberForm.FindStringSubmatch(title); parts != nil {
		m.Episode = parseNumber(parts[2])
		if parts[1] != "" {
			m.Title = parts[1]
		}
	}
	if m.Show = (&viewing.Show{Title: clean(show)}); m.Show.Title == "" {
		m.Show, m.Unsure = nil, true // Netflix removed the title
	}
	return m
}
