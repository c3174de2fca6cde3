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

// Action is what the user wants to happen to a viewing.
type Action string

// The actions, the strictest last.
const (
	Send   Action = "send"
	Hold   Action = "hold"   // held until the user releases it
	Ignore Action = "ignore" // dropped, but kept in the database
)

// Match is the condition of a filter: all fields that are set must match. A field that the
// viewing does not have never matches. The zero Match matches everything.
type Match struct {
	// Path is a file of a library, or a folder with everything below it, as Kodi writes
	// it; see [NewFilter].
	Path string `toml:"path,omitempty" json:"path,omitempty"`
	// Folder is the same for what Kodi calls the source: the root folder of the library
	// that contains the file.
	Folder string `toml:"folder,omitempty" json:"folder,omitempty"`
	// Source is a source's name ("browser:3f2a"), the name that a person gave it
	// ("browser:living-room") or its kind ("browser").
	Source string `toml:"source,omitempty" json:"source,omitempty"`
	// Site is a host name; it includes the hosts below it.
	Site string `toml:"site,omitempty" json:"site,omitempty"`
	// Kind is the type of the item.
	Kind viewing.MediaType `toml:"kind,omitempty" json:"kind,omitempty"`
	// Genre and Tag match one of those in the library, case-insensitively; an episode has
	// those of its series.
	Genre string `toml:"genre,omitempty" json:"genre,omitempty"`
	Tag   string `toml:"tag,omitempty" json:"tag,omitempty"`
	// ShorterThan matches shorter files; 0 means not set.
	ShorterThan time.Duration `toml:"-" json:"-"`
}

// Filter is a match with the action for the viewings that match.
type Filter struct {
	Match
	Action       Action
	path, folder string // patterns for doublestar; "" means not set
}

// NewFilter returns a filter. In Path and Folder * matches any characters within one name, ? one
// character, and ** any number of folders. The comparison ignores case, because a path does not
// show whether the file system of the other machine does. For the same reason a backslash equals
// a slash, and \\server\share equals smb://server/share. User names, passwords, and repeated or
// trailing slashes are ignored.
func NewFilter(m Match, a Action) Filter {
	return Filter{Match: m, Action: a, path: pathPattern(m.Path), folder: pathPattern(m.Folder)}
}

// filterFor returns the first filter that matches, and the arguments that describe it in a step.
// Filters apply to viewings only: a person asks for watchlist and list entries.
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

// fits reports whether a filter matches an item of a viewing. names are the names of the source.
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

// hostMatches reports whether a host is name or below it.
func hostMatches(host, name string) bool {
	host, name = strings.ToLower(strings.TrimSuffix(host, ".")), strings.ToLower(strings.TrimSuffix(name, "."))
	return host != "" && (host == name || strings.HasSuffix(host, "."+name))
}

// containsFold reports whether a word is in a list, ignoring case and surrounding spaces.
func containsFold(all []string, word string) bool {
	return slices.ContainsFunc(all, func(one string) bool {
		return strings.EqualFold(strings.TrimSpace(one), strings.TrimSpace(word))
	})
}

// isShorter reports whether the length is known and below a limit: the file's length in the
// library, else the length that the player reported.
func isShorter(v viewing.Event, limit time.Duration) bool {
	if v.Origin.Runtime > 0 {
		return float64(v.Origin.Runtime) < limit.Seconds()
	}
	return v.Progress != nil && v.Progress.Duration > 0 && v.Progress.Duration < limit.Seconds()
}

// String returns the match in the words of the configuration.
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

// pathPattern converts a path with wildcards to a doublestar pattern for it and everything below
// it. Brackets are common in file names and are escaped.
func pathPattern(text string) string {
	if text == "" {
		return ""
	}
	plain := strings.NewReplacer("[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)
	return plain.Replace(normalize(text)) + "/**"
}

// normalize returns a path or URL of any system in the form that filters compare: lower-case
// names between slashes. A URL begins with its scheme and host, an absolute path with ".".
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

// maxWraps limits how deep nested paths are unwrapped.
const maxWraps = 4

// pathMatches reports whether a pattern matches a file of a library: its own path, or the path of
// the stack, archive or disc image that contains it.
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

// innerPath returns the path within one of Kodi's nested paths: the first part of a stack, or the
// encoded path in place of the host of an archive; "" if none exists.
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
