package viewing

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrInvalid is wrapped by every error of [Event.Validate].
var ErrInvalid = errors.New("invalid viewing")

// FieldError names one field that is wrong, in the words of the protocol.
type FieldError struct {
	Field   string // such as "media.ids.tmdb"
	Problem string // such as "must be from 1"
}

// Error is "field: problem".
func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Unwrap makes every field error an [ErrInvalid].
func (e *FieldError) Unwrap() error { return ErrInvalid }

// Bounds of what is accepted. The service's contract bounds season, episode
// and count from below only; the rest keeps one event small.
const (
	maxCount    = 100
	maxText     = 1000
	maxEventID  = 200
	maxName     = 200
	maxSiteName = 32
	maxNumber   = 128 // of a site's own number
	maxMedia    = 50
	maxWords    = 100
	maxSafeInt  = 1<<53 - 1 // the service's largest identifier
	maxLongText = 4000
	firstYear   = 1888 // of the oldest film that is known; nothing was watched before
	lastYear    = 9999 // the contract's form of a time has four digits
)

// Validate checks a viewing against the field rules of the contract and
// reports every fault at once, each a [*FieldError]. An item without an
// identifier is valid: it will be held until it has one.
func (v Event) Validate() error {
	var c checker
	c.text("id", v.EventID, maxEventID)
	c.must(v.EventID != "", "id", "is missing")
	switch v.Kind {
	case KindViewing:
		v.checkViewing(&c)
	case KindWatchlist, KindListItem:
		c.must(len(v.Media) == 1, "media", "must be one film or series")
		for _, m := range v.Media {
			c.must(m.Type == Movie || m.Type == TV, "media.type", "%q is not movie or tv (single episodes have no place on a list)", m.Type)
			c.media(m)
		}
	case KindList:
		c.must(len(v.Media) == 0, "media", "does not belong to a list")
		c.must(v.List != nil && strings.TrimSpace(v.List.Name) != "", "name", "is missing")
		if v.List != nil {
			c.text("name", v.List.Name, maxName)
			c.text("description", v.List.Description, 2*maxText)
			visible := v.List.Visibility
			c.must(visible == "" || visible == "PRIVATE" || visible == "PUBLIC", "visibility", "%q is not PRIVATE or PUBLIC", visible)
		}
	default:
		c.must(false, "kind", "%q is not viewing, watchlist, list or list_item", v.Kind)
	}
	c.must(v.List == nil || v.Kind == KindList, "list", "belongs to a list only")
	c.must((v.InList != "") == (v.Kind == KindListItem), "inList", "belongs to each item of a list, and to nothing else")
	c.text("inList", v.InList, maxEventID)
	if p := v.Priority; p != nil {
		c.must(int64(*p) >= -maxSafeInt && int64(*p) <= maxSafeInt, "priority", "is too large")
	}
	c.text("source.site", v.Origin.Site, maxText)
	c.text("source.url", v.Origin.URL, maxLongText)
	c.text("source.path", v.Origin.Path, maxLongText)
	c.text("source.folder", v.Origin.Folder, maxLongText)
	c.must(v.Origin.Runtime >= 0, "source.runtime", "must not be negative")
	c.words("source.genres", v.Origin.Genres)
	c.words("source.tags", v.Origin.Tags)
	return errors.Join(c.faults...)
}

func (v Event) checkViewing(c *checker) {
	c.must(!v.WatchedAt.IsZero(), "watchedAt", "is missing")
	year := v.WatchedAt.Time().Year()
	c.must(year >= firstYear && year <= lastYear, "watchedAt", "must lie in the years %d to %d", firstYear, lastYear)
	c.must(v.Count >= 1 && v.Count <= maxCount, "count", "must be from 1 to %d", maxCount)
	c.must(len(v.Media) >= 1, "media", "is missing")
	c.must(len(v.Media) <= maxMedia, "media", "may name at most %d items", maxMedia)
	for _, m := range v.Media {
		c.watchable(m)
	}
	if p := v.Progress; p != nil {
		c.must(p.Position >= 0 && p.Duration >= 0 && p.Played >= 0, "progress", "must not be negative")
	}
}

// Watchable checks an item as one that was watched: a film or an episode. It
// reports every fault at once, each a [*FieldError].
func (m Media) Watchable() error {
	var c checker
	c.watchable(m)
	return errors.Join(c.faults...)
}

// checker gathers faults.
type checker struct{ faults []error }

// must notes a fault unless ok. Its words are made only then: every event is
// asked all of this several times.
func (c *checker) must(ok bool, field, problem string, about ...any) {
	if !ok {
		c.faults = append(c.faults, &FieldError{Field: field, Problem: fmt.Sprintf(problem, about...)})
	}
}

func (c *checker) watchable(m Media) {
	c.must(m.Type == Movie || m.Type == Episode, "media.type", "%q is not movie or episode (a series as a whole is not watched)", m.Type)
	c.media(m)
}

// media checks the fields of one item, whatever it is used for.
func (c *checker) media(m Media) {
	c.ids("media.ids", m.IDs)
	c.text("media.title", m.Title, maxText)
	c.must(m.Year >= 0 && m.Year <= lastYear, "media.year", "must be from 0 to %d", lastYear)
	c.must(m.Season == nil || *m.Season >= 0 && int64(*m.Season) <= maxSafeInt, "media.season", "must be from 0 (specials)")
	c.must(m.Episode == nil || *m.Episode >= 1 && int64(*m.Episode) <= maxSafeInt, "media.episode", "must be from 1")
	c.must(m.Site == nil || m.Type != TV, "media.site", "belongs to films and episodes only")
	if m.Site != nil {
		c.site(*m.Site)
	}
	c.must(m.Show == nil || m.Type == Episode, "media.show", "belongs to episodes only")
	if m.Show != nil {
		c.ids("media.show.ids", m.Show.IDs)
		c.text("media.show.title", m.Show.Title, maxText)
		c.must(m.Show.Year >= 0 && m.Show.Year <= lastYear, "media.show.year", "must be from 0 to %d", lastYear)
	}
}

// site checks where an item was seen. A blank would end its number.
func (c *checker) site(s Site) {
	strange := func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	c.must(s.Name != "" && len(s.Name) <= maxSiteName && !strings.ContainsFunc(s.Name, strange),
		"media.site.name", `must be 1 to %d of a-z, 0-9 and "-"`, maxSiteName)
	unprinted := func(r rune) bool { return r <= ' ' || r > '~' }
	for _, n := range []struct{ field, number string }{{"title", s.Title}, {"series", s.Series}} {
		c.must(len(n.number) <= maxNumber && !strings.ContainsFunc(n.number, unprinted),
			"media.site."+n.field, "must be at most %d printable ASCII characters without a blank", maxNumber)
	}
	c.must(s.Numbering == "" || s.Numbering == SiteNumbering, "media.site.numbering", `must be "site"`)
}

func (c *checker) text(field, s string, limit int) {
	c.must(utf8.ValidString(s), field, "is not valid UTF-8")
	c.must(utf8.RuneCountInString(s) <= limit, field, "is longer than %d characters", limit)
}

func (c *checker) words(field string, words []string) {
	c.must(len(words) <= maxWords, field, "are more than %d", maxWords)
	for _, w := range words {
		c.text(field, w, maxText)
	}
}

func (c *checker) ids(field string, ids IDs) {
	c.must(ids.TMDB >= 0 && ids.TMDB <= maxSafeInt, field+".tmdb", "must be from 1")
	c.must(ids.TVDB >= 0 && ids.TVDB <= maxSafeInt, field+".tvdb", "must be from 1")
	digits, ok := strings.CutPrefix(ids.IMDB, "tt")
	ok = ok && digits != "" && len(digits) <= 12 && strings.Trim(digits, "0123456789") == ""
	c.must(ids.IMDB == "" || ok, field+".imdb", `must be "tt" and digits`)
}
