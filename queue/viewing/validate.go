package viewing

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrInvalid is wrapped by every error of [Event.Validate].
var ErrInvalid = errors.New("invalid viewing")

// FieldError is an invalid field, by its name in the protocol. It wraps [ErrInvalid] and a
// [Message].
type FieldError struct {
	Field string // such as "media.ids.tmdb"
	Why   Message
}

// Wrong returns the error for a field, with pairs of argument names and values.
func Wrong(field, code string, pairs ...string) *FieldError {
	return &FieldError{field, Say(code, append(pairs, "field", field)...)}
}

// Error returns the field and its message.
func (e *FieldError) Error() string { return e.Field + ": " + e.Why.Error() }

// Unwrap returns [ErrInvalid] and the message.
func (e *FieldError) Unwrap() []error { return []error{ErrInvalid, e.Why} }

// Limits of an event. The service's contract has only minimums for season, episode and
// count; the other limits keep events small.
const (
	maxCount    = 100
	maxText     = 1000
	maxEventID  = 200
	maxName     = 200
	maxSiteName = 32
	maxNumber   = 128 // length of a site's own number
	maxMedia    = 50
	maxWords    = 100
	maxSafeInt  = 1<<53 - 1 // the service's largest identifier
	maxLongText = 4000
	firstYear   = 1888 // of the oldest known film
	lastYear    = 9999 // the contract's time format has four digits
)

// Validate checks an event against the field rules of the contract and returns all faults, each a
// [*FieldError]. An item without an identifier is valid: it will be held.
func (v Event) Validate() error {
	var c checker
	c.text("id", v.EventID, maxEventID)
	c.require(v.EventID != "", "id", "field.missing")
	switch v.Kind {
	case KindViewing:
		c.require(!v.WatchedAt.IsZero(), "watchedAt", "field.missing")
		c.inRange("watchedAt", int64(v.WatchedAt.Time().Year()), firstYear, lastYear)
		c.inRange("count", int64(v.Count), 1, maxCount)
		c.inRange("media", int64(len(v.Media)), 1, maxMedia)
		for _, m := range v.Media {
			c.require(m.Type == Movie || m.Type == Episode, "media.type", "field.wrong") // a viewing is not of a whole series
			c.media(m)
		}
		if p := v.Progress; p != nil {
			c.require(p.Position >= 0 && p.Duration >= 0 && p.Played >= 0, "progress", "field.wrong")
		}
	case KindWatchlist, KindListItem:
		c.require(len(v.Media) == 1, "media", "field.wrong")
		for _, m := range v.Media {
			c.require(m.Type == Movie || m.Type == TV, "media.type", "field.wrong") // lists cannot contain episodes
			c.media(m)
		}
	case KindList:
		c.require(len(v.Media) == 0, "media", "field.misplaced")
		c.require(v.List != nil && strings.TrimSpace(v.List.Name) != "", "name", "field.missing")
		if v.List != nil {
			c.text("name", v.List.Name, maxName)
			c.text("description", v.List.Description, 2*maxText)
			visible := v.List.Visibility
			c.require(visible == "" || visible == "PRIVATE" || visible == "PUBLIC", "visibility", "field.wrong")
		}
	default:
		c.require(false, "kind", "field.wrong")
	}
	c.require(v.List == nil || v.Kind == KindList, "list", "field.misplaced")
	c.require((v.InList != "") == (v.Kind == KindListItem), "inList", "field.misplaced")
	c.text("inList", v.InList, maxEventID)
	if p := v.Priority; p != nil {
		c.inRange("priority", int64(*p), -maxSafeInt, maxSafeInt)
	}
	c.text("source.site", v.Origin.Site, maxText)
	c.text("source.url", v.Origin.URL, maxLongText)
	c.text("source.path", v.Origin.Path, maxLongText)
	c.text("source.folder", v.Origin.Folder, maxLongText)
	c.inRange("source.runtime", int64(v.Origin.Runtime), 0, maxSafeInt)
	c.words("source.genres", v.Origin.Genres)
	c.words("source.tags", v.Origin.Tags)
	return errors.Join(c.faults...)
}

// checker collects faults.
type checker struct{ faults []error }

// require adds a fault unless ok.
func (c *checker) require(ok bool, field, code string) {
	if !ok {
		c.faults = append(c.faults, Wrong(field, code))
	}
}

// inRange adds a fault if n is not between least and most.
func (c *checker) inRange(field string, n, least, most int64) {
	if n < least || n > most {
		c.faults = append(c.faults, Wrong(field, "field.range", "least", strconv.FormatInt(least, 10), "most", strconv.FormatInt(most, 10)))
	}
}

// media checks the fields that all items have.
func (c *checker) media(m Media) {
	c.ids("media.ids", m.IDs)
	c.text("media.title", m.Title, maxText)
	c.inRange("media.year", int64(m.Year), 0, lastYear)
	if m.Season != nil {
		c.inRange("media.season", int64(*m.Season), 0, maxSafeInt)
	}
	if m.Episode != nil {
		c.inRange("media.episode", int64(*m.Episode), 1, maxSafeInt)
	}
	c.require(m.Site == nil || m.Type != TV, "media.site", "field.misplaced")
	if m.Site != nil {
		c.site(*m.Site)
	}
	c.require(m.Show == nil || m.Type == Episode, "media.show", "field.misplaced")
	if m.Show != nil {
		c.ids("media.show.ids", m.Show.IDs)
		c.text("media.show.title", m.Show.Title, maxText)
		c.inRange("media.show.year", int64(m.Show.Year), 0, lastYear)
	}
}

// site checks the site of an item. Its numbers must not contain blanks, which separate them in
// keys.
func (c *checker) site(s Site) {
	invalid := func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	c.require(s.Name != "" && len(s.Name) <= maxSiteName && !strings.ContainsFunc(s.Name, invalid), "media.site.name", "field.wrong")
	unprintable := func(r rune) bool { return r <= ' ' || r > '~' }
	c.require(len(s.Title) <= maxNumber && !strings.ContainsFunc(s.Title, unprintable), "media.site.title", "field.wrong")
	c.require(len(s.Series) <= maxNumber && !strings.ContainsFunc(s.Series, unprintable), "media.site.series", "field.wrong")
	c.require(s.Numbering == "" || s.Numbering == SiteNumbering, "media.site.numbering", "field.wrong")
}

func (c *checker) text(field, s string, limit int) {
	c.require(utf8.ValidString(s), field, "field.wrong")
	if utf8.RuneCountInString(s) > limit {
		c.faults = append(c.faults, Wrong(field, "field.long", "n", strconv.Itoa(limit)))
	}
}

func (c *checker) words(field string, words []string) {
	c.inRange(field, int64(len(words)), 0, maxWords)
	for _, w := range words {
		c.text(field, w, maxText)
	}
}

func (c *checker) ids(field string, ids IDs) {
	c.inRange(field+".tmdb", ids.TMDB, 0, maxSafeInt)
	c.inRange(field+".tvdb", ids.TVDB, 0, maxSafeInt)
	digits, ok := strings.CutPrefix(ids.IMDB, "tt")
	ok = ok && digits != "" && len(digits) <= 12 && strings.Trim(digits, "0123456789") == ""
	c.require(ids.IMDB == "" || ok, field+".imdb", "field.wrong")
}
