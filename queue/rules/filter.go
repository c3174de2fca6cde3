package rules

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

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
	Path string `toml:"path,omitempty" json:"path,omitempty"`
	// Folder is the same for the source of the library, in Kodi's words, under
	// which the file lies.
	Folder string `toml:"folder,omitempty" json:"folder,omitempty"`
	// Source is who saw it: a source's name ("browser:3f2a"), the name that a person
	// gave it ("browser:living-room") or its kind ("browser").
	Source string `toml:"source,omitempty" json:"source,omitempty"`
	// Site is a host name: it fits the host and those below it.
	Site string `toml:"site,omitempty" json:"site,omitempty"`
	// Kind is that of the item.
	Kind viewing.MediaType `toml:"kind,omitempty" json:"kind,omitempty"`
	// Genre and Tag are one of those of the library, in any case of letters; of
	// an episode, those of its series.
	Genre string `toml:"genre,omitempty" json:"genre,omitempty"`
	Tag   string `toml:"tag,omitempty" json:"tag,omitempty"`
	// ShorterThan is more than the length of the file; 0 is not set.
	ShorterThan time.Duration `toml:"-" json:"-"`
}

// Filter is a match and what becomes of the viewings that fit.
type Filter struct {
	Match
	Action       Action
	path, folder string // as doublestar takes them; "" is not set
}

// NewFilter makes a filter. In Path and Folder * stands for any characters
// within one name, ? for one of them, and ** as a name for any folders. They
// are compared in any case of letters: whether the machine on which a file
// lies tells cases apart does not show in its path. For the same reason a
// backslash is a slash, and \\server\share is smb://server/share. Users,
// passwords and slashes that are doubled or last do not count.
func NewFilter(m Match, a Action) Filter {
	return Filter{Match: m, Action: a, path: pathPattern(m.Path), folder: pathPattern(m.Folder)}
}

// filterFor returns the first filter that fits, and the values that name it to a person.
// Filters are about viewings: wishes and lists are asked for by a person.
func (s Settings) filterFor(source string, v viewing.Event, m *viewing.Media) (Filter, entry.Args) {
	if v.Kind == viewing.KindViewing && m != nil {
		names := s.names(source)
		for i, f := range s.Filters {
			if f.fits(names, v, m) {
				return f, entry.Args{"filter": strconv.Itoa(i + 1), "match": f.Match.String()}
			}
		}
	}
	return Filter{}, nil
}

// fits reports whether a filter is for an item of a viewing. names are those of the
// source.
func (f Filter) fits(names []string, v viewing.Event, m *viewing.Media) bool {
	return (f.Kind == "" || f.Kind == m.Type) &&
		(f.Source == "" || slices.Contains(names, f.Source)) &&
		(f.Site == "" || hostMatches(v.Origin.Site, f.Site)) &&
		(f.Genre == "" || containsFold(v.Origin.Genres, f.Genre)) &&
		(f.Tag == "" || containsFold(v.Origin.Tags, f.Tag)) &&
		(f.ShorterThan == 0 || isShorter(v, f.ShorterThan)) &&
		(f.path == "" || pathMatches(v.Origin.Path, f.path)) &&
		(f.folder == "" || pathMatches(v.Origin.Folder, f.folder))
}

// hostMatches reports whether a host is the named one, or below it.
func hostMatches(host, name string) bool {
	host, name = strings.ToLower(strings.TrimSuffix(host, ".")), strings.ToLower(strings.TrimSuffix(name, "."))
	return host != "" && (host == name || strings.HasSuffix(host, "."+name))
}

// containsFold reports whether a word is among others, whatever their case and
// the spaces around them.
func containsFold(all []string, word string) bool {
	return slices.ContainsFunc(all, func(one string) bool {
		return strings.EqualFold(strings.TrimSpace(one), strings.TrimSpace(word))
	})
}

// isShorter reports whether the length is known and below a limit: the file's as
// the library has it, else what the player said.
func isShorter(v viewing.Event, limit time.Duration) bool {
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

// pathPattern is a path with stars as doublestar takes it: it names what it fits, and all
// below that. Brackets are common in the names of files and stand for themselves.
func pathPattern(text string) string {
	if text == "" {
		return ""
	}
	plain := strings.NewReplacer("[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)
	return plain.Replace(normalize(text)) + "/**"
}

// normalize is a path of any system or a URL as filters compare it: names in lower
// case between slashes, the scheme and the host being the first two of a URL, and "."
// the first of a path from the root.
func normalize(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, `\`, "/"))
	if share, ok := strings.CutPrefix(text, "//"); ok {
		text = "smb://" + share
	}
	if scheme, rest, isURL := strings.Cut(text, "://"); isURL {
		host, below, _ := strings.Cut(rest, "/")
		text = scheme + ":/" + host[strings.LastIndex(host, "@")+1:] + "/" + below
	} else if strings.HasPrefix(text, "/") {
		text = "." + text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '/' }), "/")
}

// maxWraps bounds how often a path is looked for within another.
const maxWraps = 4

// pathMatches reports whether a pattern names a file of a library: by its own path, or by
// where the stack, the archive or the disc image lies that it is a part of.
func pathMatches(path, pattern string) bool {
	for range maxWraps + 1 {
		if path == "" {
			return false
		}
		if doublestar.MatchUnvalidated(pattern, normalize(path)) {
			return true
		}
		path = innerPath(path)
	}
	return false
}

// innerPath is the path within a path of Kodi's: the first part of a stack, or what
// stands in the place of the host of an archive. "" is none.
func innerPath(text string) string {
	if parts, ok := strings.CutPrefix(text, "stack://"); ok {
		first, _, _ := strings.Cut(parts, " , ")
		return strings.ReplaceAll(first, ",,", ",")
	}
	_, rest, _ := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	inner, err := url.PathUnescape(host)
	if err != nil || inner == host || !strings.ContainsAny(inner, `/\`) {
		return ""
	}
	return inner
}
