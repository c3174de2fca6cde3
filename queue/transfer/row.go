package transfer

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/filmspool/filmspool/queue/viewing"
)

// key is the key of a row that says this: a hash of it, and how many equal rows came before.
func (r *reader) key(content ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(content, "\x00")))
	short, key := binary.BigEndian.Uint64(sum[:]), hex.EncodeToString(sum[:16])
	if _, again := r.seenKeys[short]; again {
		r.repeated[short]++
		key += "-" + strconv.Itoa(r.repeated[short])
	}
	r.seenKeys[short] = struct{}{}
	return key
}

// viewing is the row of a viewing at a time as a file writes it.
func (r *reader) viewingRow(m viewing.Media, when string) Row {
	at, ambiguous, ok := r.dates.instant(when)
	row := newViewingRow(m, at)
	row.Ambiguous = ambiguous
	switch {
	case when == "":
		row.Skip = SkipMark
	case !ok:
		row.Skip = SkipUnreadable
	}
	return row
}

// rowOf is the row of one item.
func newRow(kind viewing.Kind, m viewing.Media) Row {
	return Row{Event: viewing.Event{Kind: kind, Media: []viewing.Media{m}}}
}

// viewed is the row of a viewing.
func newViewingRow(m viewing.Media, at viewing.Instant) Row {
	row := newRow(viewing.KindViewing, m)
	row.Event.WatchedAt, row.Event.Count = at, 1
	return row
}

// listRow is the row of a list.
func listRow(key string, list viewing.List) Row {
	list.Name, list.Description = clip(list.Name, 200), clip(list.Description, 2000)
	return Row{Key: key, Event: viewing.Event{Kind: viewing.KindList, List: &list}}
}

// clean is a text in UTF-8 without control characters and outer blanks. One that is not in UTF-8
// is taken for Windows-1252.
func clean(text string) string {
	if !utf8.ValidString(text) {
		text, _ = charmap.Windows1252.NewDecoder().String(text) // it knows every byte
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}

// clip is a text of at most so many signs.
func clip(text string, most int) string {
	text = clean(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// number is a whole number; 0 for anything else, and below 0.
func numberOrZero(text string) int { return max(0, *cmp.Or(parseNumber(text), new(int))) }

// placeOf reads a season or an episode; nil where there is no number.
func parseNumber(text string) *int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	return &n
}

// A file of sittings does not tell how long an item is. Its longest sitting stands for that.
const (
	minPlayed         = 120 // seconds; what is played less is no viewing
	minPlayedPercent  = 10  // percent of an item that a sitting must play
	minReachedPercent = 80  // percent that it must reach
	resumeWindow      = 48 * time.Hour
)

// sitting is the row of one sitting. It is a viewing where it reached the end: of an item that
// somebody saw in several, the last one. Played and reached are in seconds; where the place that
// it reached is not known, that is 0.
func (r *reader) sittingRow(m viewing.Media, person, item string, began time.Time, played, reached int, skip Skip) Row {
	ended := began.Local().Add(time.Duration(played) * time.Second)
	row := newViewingRow(m, viewing.At(ended))
	row.Skip, row.Event.Progress = skip, &viewing.Progress{Position: float64(reached), Played: float64(played)}
	length, came := r.numbers[shortHash(item)], cmp.Or(reached, played)
	counted := shortHash(person + "\x00" + item)
	last, again := r.numbers[counted]
	since := ended.Sub(time.Unix(int64(last), 0)).Abs()
	whole := reached > 0 && played*100 >= reached*minReachedPercent
	switch {
	case skip != "":
	case played < minPlayed, played*100 < length*minPlayedPercent, came*100 < length*minReachedPercent, again && !whole && since < resumeWindow:
		row.Skip = SkipUnfinished
	default:
		r.numbers[counted] = int(ended.Unix())
	}
	return row
}

// reached learns the length of an item from how far a sitting came.
func (r *reader) learnLength(item string, seconds int) {
	if key := shortHash(item); seconds > r.numbers[key] {
		r.numbers[key] = seconds
	}
}

var seed = maphash.MakeSeed()

// hashed is a short name for a text, to remember many of them.
func shortHash(text string) uint64 { return maphash.String(seed, text) }

// calendar reads the times of one file. What has no zone is meant where this machine is.
type calendar struct {
	dayFirst                   *bool // what the user said
	sawDayFirst, sawMonthFirst bool  // a date of the file has its day, or its month, first for certain
}

// dayForm is a date in numbers with its year at the end.
var dayForm = regexp.MustCompile(`^(\d{1,2})([./-]) ?(\d{1,2})[./-] ?(\d{4}|\d{2}$)\.?$`)

// see learns from the date of a line which order its file has.
func (c *calendar) learnOrder(line Line) error {
	parts := dayForm.FindStringSubmatch(line.Get("watched_at"))
	if parts != nil && parts[2] != "." {
		c.sawDayFirst = c.sawDayFirst || numberOrZero(parts[1]) > 12
		c.sawMonthFirst = c.sawMonthFirst || numberOrZero(parts[3]) > 12
	}
	if c.sawDayFirst && c.sawMonthFirst {
		return unreadable("file.line", line.Number, viewing.Say("file.dates"))
	}
	return nil
}

// instant reads a time. A day is noon of it. Ambiguous says that the order of day and month
// is not known.
func (c *calendar) instant(text string) (in viewing.Instant, ambiguous, ok bool) {
	parts := dayForm.FindStringSubmatch(text)
	if parts == nil || parts[2] == "-" && len(parts[4]) == 2 { // the year may be first
		in, ok = parseTime(text)
		return in, false, ok
	}
	day, month, year := numberOrZero(parts[1]), numberOrZero(parts[3]), numberOrZero(parts[4])
	switch {
	case parts[2] == "." || day == month:
	case c.sawMonthFirst || !c.sawDayFirst && c.dayFirst != nil && !*c.dayFirst:
		day, month = month, day
	default:
		ambiguous = !c.sawDayFirst && c.dayFirst == nil
	}
	if year < 100 {
		year += 2000
	}
	in = noon(year, time.Month(month), day, text)
	return in, ambiguous, in.Time().Local().Month() == time.Month(month)
}

// timeForms are the forms of a time, with a zone and without, and of a day with its year first.
var timeForms = []string{
	time.RFC3339, "2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04",
	"2006-1-2", "2006/1/2", "2006.1.2", "2006. 1. 2.",
}

func parseTime(text string) (viewing.Instant, bool) {
	for _, form := range timeForms {
		t, err := time.ParseInLocation(form, text, time.Local)
		switch {
		case err != nil:
		case strings.Contains(form, ":"):
			in := viewing.At(t)
			in.Text = text
			return in, true
		default:
			return noon(t.Year(), t.Month(), t.Day(), text), true
		}
	}
	return viewing.Instant{}, false
}

// noon is a day as a file wrote it.
func noon(year int, month time.Month, day int, text string) viewing.Instant {
	in := viewing.At(time.Date(year, month, day, 12, 0, 0, 0, time.Local))
	in.Text, in.Precision = text, viewing.Day
	return in
}
