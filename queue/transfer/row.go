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

// key returns the key of a row with this content: its hash, and the number of equal rows before it.
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

// viewingRow returns the row of a viewing at a time as the file writes it.
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

// newRow returns a row of one item.
func newRow(kind viewing.Kind, m viewing.Media) Row {
	return Row{Event: viewing.Event{Kind: kind, Media: []viewing.Media{m}}}
}

// newViewingRow returns a row of a viewing.
func newViewingRow(m viewing.Media, at viewing.Instant) Row {
	row := newRow(viewing.KindViewing, m)
	row.Event.WatchedAt, row.Event.Count = at, 1
	return row
}

// listRow returns a row of a list.
func listRow(key string, list viewing.List) Row {
	list.Name, list.Description = clip(list.Name, 200), clip(list.Description, 2000)
	return Row{Key: key, Event: viewing.Event{Kind: viewing.KindList, List: &list}}
}

// clean returns a text in UTF-8 without control characters and surrounding space. It takes invalid
// UTF-8 as Windows-1252.
func clean(text string) string {
	if !utf8.ValidString(text) {
		text, _ = charmap.Windows1252.NewDecoder().String(text) // every byte is valid in it
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
}

// clip returns a clean text of at most most characters.
func clip(text string, limit int) string {
	text = clean(text)
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// numberOrZero parses a number; it returns 0 for anything else and for negative numbers.
func numberOrZero(text string) int { return max(0, *cmp.Or(parseNumber(text), new(int))) }

// parseNumber parses the number of a season or an episode; it returns nil for anything else.
func parseNumber(text string) *int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	return &n
}

// Limits for files that list sittings. Such a file has no running times; the longest sitting of an
// item is taken as its running time.
const (
	minPlayed         = 120            // seconds that a viewing must play
	minPlayedPercent  = 10             // percent of an item that its last sitting must play
	minReachedPercent = 80             // percent of an item that its last sitting must reach
	resumeWindow      = 48 * time.Hour // a second end within it is the same viewing, unless it was played whole
)

// sittingRow returns the row of one sitting. It is a viewing if it reached the end of the item, so of
// several sittings the last one. Played and reached are in seconds; reached is 0 if unknown.
func (r *reader) sittingRow(m viewing.Media, person, item string, began time.Time, played, reached int, skip Skip) Row {
	ended := began.Local().Add(time.Duration(played) * time.Second)
	row := newViewingRow(m, viewing.At(ended))
	row.Skip, row.Event.Progress = skip, &viewing.Progress{Position: float64(reached), Played: float64(played)}
	length, position := r.numbers[shortHash(item)], cmp.Or(reached, played)
	endKey := shortHash(person + "\x00" + item)
	lastEnd, watchedBefore := r.numbers[endKey]
	since := ended.Sub(time.Unix(int64(lastEnd), 0)).Abs()
	playedWhole := reached > 0 && played*100 >= reached*minReachedPercent
	switch {
	case skip != "":
	case played < minPlayed, played*100 < length*minPlayedPercent, position*100 < length*minReachedPercent, watchedBefore && !playedWhole && since < resumeWindow:
		row.Skip = SkipUnfinished
	default:
		r.numbers[endKey] = int(ended.Unix())
	}
	return row
}

// learnLength raises the running time of an item to the position that a sitting reached.
func (r *reader) learnLength(item string, seconds int) {
	if key := shortHash(item); seconds > r.numbers[key] {
		r.numbers[key] = seconds
	}
}

var seed = maphash.MakeSeed()

// shortHash returns a hash that saves memory when storing many texts.
func shortHash(text string) uint64 { return maphash.String(seed, text) }

// calendar parses the times of one file. Times without a zone are in this machine's zone.
type calendar struct {
	dayFirst                   *bool // the user's choice
	sawDayFirst, sawMonthFirst bool  // the file has an unambiguous date with the day first, or the month first
}

// dayForm matches a numeric date with its year at the end.
var dayForm = regexp.MustCompile(`^(\d{1,2})([./-]) ?(\d{1,2})[./-] ?(\d{4}|\d{2}$)\.?$`)

// learnOrder learns the order of day and month from the date of a line.
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

// instant parses a time; a date becomes noon of that day. Ambiguous reports that the order of day
// and month is unknown.
func (c *calendar) instant(text string) (in viewing.Instant, ambiguous, ok bool) {
	parts := dayForm.FindStringSubmatch(text)
	if parts == nil || parts[2] == "-" && len(parts[4]) == 2 { // the year may come first
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

// timeForms are the layouts of times with and without a zone, and of dates with the year first.
var timeForms = []string{
	time.RFC3339, "2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04",
	"2006-1-2", "2006/1/2", "2006.1.2", "2006. 1. 2.",
}

// parseTime parses a time or date in one of the timeForms.
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

// noon returns a day, with the text of the file.
func noon(year int, month time.Month, day int, text string) viewing.Instant {
	in := viewing.At(time.Date(year, month, day, 12, 0, 0, 0, time.Local))
	in.Text, in.Precision = text, viewing.Day
	return in
}
