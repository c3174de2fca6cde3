package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Action is what the user wants to become of a viewing.
type Action string

// The actions, the strictest last.
const (
	Send   Action = "send"
	Hold   Action = "hold"   // it waits for the user
	Ignore Action = "ignore" // it is kept for the record alone
)

// Match says which viewings a filter is for: those that fit all that is set.
// What a viewing does not tell fits nothing; the zero Match fits all.
type Match struct {
	// Path names a file of a library, or a folder with all below it, as Kodi
	// writes it; see [NewFilter].
	Path string
	// Folder is the same for the source of the library, in Kodi's words, under
	// which the file lies.
	Folder string
	// Source is who saw it: a source's name ("browser:3f2a"), the name that a person
	// gave it ("browser:living-room") or its kind ("browser").
	Source string
	// Site is a host name: it fits the host and those below it.
	Site string
	// Kind is that of the item.
	Kind viewing.MediaType
	// Genre and Tag are one of those of the library, in any case of letters; of
	// an episode, those of its series.
	Genre, Tag string
	// ShorterThan is more than the length of the file; 0 is not set.
	ShorterThan time.Duration
}

// Filter is a match and what becomes of the viewings that fit.
type Filter struct {
	Match
	Action Action
	path   pattern
	folder pattern
}

// NewFilter makes a filter. In Path and Folder * stands for any characters
// within one name, ? for one of them, and ** as a name for any folders. They
// are compared in any case of letters: whether the machine on which a file
// lies tells cases apart does not show in its path. For the same reason a
// backslash is a slash, and \\server\share is smb://server/share. Users,
// passwords and slashes that are doubled or last do not count.
func NewFilter(m Match, a Action) Filter {
	return Filter{Match: m, Action: a, path: newPattern(m.Path), folder: newPattern(m.Folder)}
}

// choose is the place of the first filter that fits, from 0; -1 for none.
// Filters are about viewings: wishes and lists are asked for by a person.
func (s Settings) choose(source string, v viewing.Event, m *viewing.Media) int {
	if v.Kind != viewing.KindViewing || m == nil {
		return -1
	}
	c := candidate{names: s.names(source), viewing: v, media: m}
	for i, f := range s.Filters {
		if f.fits(&c) {
			return i
		}
	}
	return -1
}

// candidate is one item that filters are held against; its paths are made
// ready when the first of them asks.
type candidate struct {
	names   []string // of its source
	viewing viewing.Event
	media   *viewing.Media
	read    bool
	files   []address
	folders []address
}

// addresses are the file and the folder.
func (c *candidate) addresses() (files, folders []address) {
	if !c.read {
		c.files, c.folders, c.read = addresses(c.viewing.Origin.Path), addresses(c.viewing.Origin.Folder), true
	}
	return c.files, c.folders
}

// fits asks what is cheap first.
func (f *Filter) fits(c *candidate) bool {
	origin := c.viewing.Origin
	switch {
	case f.Kind != "" && f.Kind != c.media.Type,
		f.Source != "" && !slices.Contains(c.names, f.Source),
		f.Site != "" && !within(origin.Site, f.Site),
		f.Genre != "" && !contains(origin.Genres, f.Genre),
		f.Tag != "" && !contains(origin.Tags, f.Tag),
		f.ShorterThan > 0 && !shorter(c.viewing, f.ShorterThan):
		return false
	case f.Path == "" && f.Folder == "":
		return true
	}
	files, folders := c.addresses()
	return (f.Path == "" || f.path.fitsAny(files)) && (f.Folder == "" || f.folder.fitsAny(folders))
}

// within reports whether a host is the named one, or below it.
func within(host, name string) bool {
	host, name = strings.ToLower(strings.TrimSuffix(host, ".")), strings.ToLower(strings.TrimSuffix(name, "."))
	return host != "" && (host == name || strings.HasSuffix(host, "."+name))
}

// contains reports whether a word is among others, whatever their case and
// the spaces around them.
func contains(all []string, word string) bool {
	for _, one := range all {
		if strings.EqualFold(strings.TrimSpace(one), strings.TrimSpace(word)) {
			return true
		}
	}
	return false
}

// shorter reports whether the length is known and below a limit: the file's as
// the library has it, else what the player said.
func shorter(v viewing.Event, limit time.Duration) bool {
	if v.Origin.Runtime > 0 {
		return float64(v.Origin.Runtime) < limit.Seconds()
	}
	return v.Progress != nil && v.Progress.Duration > 0 && v.Progress.Duration < limit.Seconds()
}

// String is what the match is about, in the words of the configuration.
func (m Match) String() string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"path", m.Path},
		{"folder", m.Folder},
		{"source", m.Source},
		{"site", m.Site},
		{"kind", string(m.Kind)},
		{"genre", m.Genre},
		{"tag", m.Tag},
	} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	if m.ShorterThan > 0 {
		parts = append(parts, "shorter than "+m.ShorterThan.String())
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, ", ")
}

// args name the filter at a place, counted from 1 for a person.
func (f *Filter) args(place int) entry.Args {
	return entry.Args{"filter": strconv.Itoa(place + 1), "match": f.Match.String()}
}
