package typed

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Reading is one interpretation of the words that a person adds.
type Reading struct {
	What            string // a number, an address or a title
	Year            int    // of a title; 0 if none was typed
	Season, Episode *int   // nil if none was typed
	At              *Time  // nil if none was typed
}

var (
	episodeForm = lazy(`^(?:s(\d{1,4}) ?e(\d{1,5})|(\d{1,2})x(\d{1,3})|(?:season|staffel) (\d{1,4}),? (?:episode|folge) (\d{1,5}))(?: |$)`)
	kindWords   = lazy(`^(?i:movie|film|tv|series|serie|show|episode|folge)$`)
	yearForms   = lazy(`^(?:18[89]|19\d|20\d)\d$`)
)

// ParseAdd parses what a person adds, as the arguments of a command: a title, number or address,
// then season and episode, then a time. If the last words may be part of the title ("Black
// Friday", "Wonder Woman 1984"), it returns several readings, the one with the longest title
// first. Words in quotes are not split.
func ParseAdd(args []string, now time.Time) (all []Reading, err error) {
	words := joinKindWord(strings.Fields(strings.Join(args, " ")))
	if len(words) == 0 {
		return nil, textError("typed.number", "")
	}
	if title, r, rest := splitAtEpisode(words); r.Season != nil {
		r.At, err = parseOptionalTime(rest, now)
		return titleReadings(title, r), err
	}
	rest := strings.Join(words[1:], " ")
	if _, err := ParseItem(words[0]); !IsTitle(err) {
		at, timeErr := parseOptionalTime(rest, now)
		if !isCode(timeErr, "typed.time") || strings.Trim(words[0], "0123456789") != "" { // "12 Angry Men" begins with a number
			return []Reading{{What: words[0], At: at}}, cmp.Or(err, timeErr)
		}
	}
	return parseTitle(args, words, now)
}

// ParseFix parses a correction, in the forms of [ParseAdd] without times. The address of an
// episode supplies season and episode. Words after season and episode, usually the title of the
// episode, are ignored. Season and episode alone are a correction, too.
func ParseFix(text string) (all []Reading) {
	words := joinKindWord(strings.Fields(text))
	title, r, _ := splitAtEpisode(append([]string{""}, words...))
	switch title = title[1:]; {
	case len(title) > 0:
		all = titleReadings(title, r)
	case r.Season != nil:
		return []Reading{r}
	default:
		return nil
	}
	if named, _ := ParseItem(all[0].What); r.Season == nil && named.Episode != nil {
		all[0].Season, all[0].Episode = named.Season, named.Episode
	}
	return all
}

// joinKindWord joins the first two words if they name an item: "movie 603".
func joinKindWord(words []string) []string {
	if len(words) > 1 && kindForm().MatchString(strings.ToLower(words[0]+" "+words[1])) {
		return append([]string{words[0] + " " + words[1]}, words[2:]...)
	}
	return words
}

// splitAtEpisode splits words at a season and episode.
func splitAtEpisode(words []string) (before []string, r Reading, behind string) {
	for i := 1; i < len(words); i++ {
		rest := strings.Join(words[i:], " ")
		if parts := episodeForm().FindStringSubmatch(strings.ToLower(rest)); parts != nil {
			season, episode := int(parseDigits(parts[1]+parts[3]+parts[5])), int(parseDigits(parts[2]+parts[4]+parts[6]))
			return words[:i], Reading{Season: &season, Episode: &episode}, rest[len(parts[0]):]
		}
	}
	return words, Reading{}, ""
}

// parseTitle parses a title and a time after it.
func parseTitle(args, words []string, now time.Time) (all []Reading, err error) {
	quoted := len(strings.Fields(args[0]))
	if quoted > 1 && len(args) > 1 {
		at, err := parseOptionalTime(strings.Join(args[1:], " "), now)
		return titleReadings(words[:quoted], Reading{At: at}), err
	}
	var timeErr error // the last words are a time that is not allowed
	certain := false  // the last words can only be a time
	for end := len(words) - 1; end > 0; end-- {
		tail := strings.Join(words[end:], " ")
		at, err := parseOptionalTime(tail, now)
		if err != nil && !isCode(err, "typed.time") {
			timeErr = err
			continue
		}
		clear := strings.ContainsAny(tail, "0123456789") || quoted == 1 && slices.Contains(args[1:], tail) && end < len(words)-1
		if err == nil && (clear || quoted == 1) {
			all = append(all, titleReadings(words[:end], Reading{At: at})...)
			certain = certain || clear
		}
	}
	if timeErr != nil && !certain {
		return nil, timeErr
	}
	if !certain {
		all = append(titleReadings(words, Reading{}), all...)
	}
	return all, nil
}

// isCode reports whether an error is a message with a code.
func isCode(err error, code string) bool {
	m, ok := errors.AsType[viewing.Message](err)
	return ok && m.Code == code
}

// parseOptionalTime parses a time; nil for an empty text.
func parseOptionalTime(text string, now time.Time) (*Time, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	at, err := ParseTime(text, now)
	if err != nil {
		return nil, err
	}
	return &at, nil
}

// titleReadings returns r with a title. A year at the end, or a word such as "film" at the
// beginning, may be part of the title: then there are several readings.
func titleReadings(words []string, r Reading) []Reading {
	r.What, r.Year = SplitYear(strings.Join(words, " "))
	all := []Reading{r}
	if last := words[len(words)-1]; len(words) > 1 && yearForms().MatchString(last) {
		r.What, r.Year = strings.Join(words[:len(words)-1], " "), int(parseDigits(last))
		all = append(all, r)
	}
	if len(words) > 1 && kindWords().MatchString(words[0]) { // "film The Matrix"
		all = append(all, titleReadings(words[1:], r)...)
	}
	return all
}
