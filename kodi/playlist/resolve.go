package playlist

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Shelf finds files by the ways in which playlists write them.
type Shelf struct {
	exact map[string]int
	loose map[string][]int // by the path in lower case
}

// NewShelf makes a shelf of the paths of a library's files, as Kodi writes
// them. A file is named by its place in paths.
func NewShelf(paths []string) *Shelf {
	s := &Shelf{exact: make(map[string]int, len(paths)), loose: make(map[string][]int, len(paths))}
	for i, p := range paths {
		p = plain(p)
		if _, twice := s.exact[p]; !twice {
			s.exact[p] = i
		}
		key := strings.ToLower(p)
		s.loose[key] = append(s.loose[key], i)
	}
	return s
}

// Find gives the file that an entry of the playlist at file means. A path in
// another case counts when it can mean one file only.
func (s *Shelf) Find(file, entry string) (int, bool) {
	wanted := plain(absolute(file, entry))
	if i, ok := s.exact[wanted]; ok {
		return i, true
	}
	if near := s.loose[strings.ToLower(wanted)]; len(near) == 1 {
		return near[0], true
	}
	return 0, false
}

// absolute is an entry's whole path. Kodi reads one that is not whole from the
// playlist's folder.
func absolute(file, entry string) string {
	if whole(entry) {
		return entry
	}
	folder := filepath.ToSlash(filepath.Dir(file))
	return folder + "/" + strings.ReplaceAll(entry, `\`, "/")
}

// whole reports whether a path stands by itself: an address, a path from the
// root, one with a drive, one of a Windows share.
func whole(p string) bool {
	drive := len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return strings.Contains(p, "://") || strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) || drive
}

// plain is a path in one form: forward slashes, no steps up and down, no user
// and password, the host in lower case. file:// is a path of this machine.
func plain(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	scheme, rest, remote := strings.Cut(p, "://")
	switch {
	case remote && strings.EqualFold(scheme, "file"):
		if decoded, err := url.PathUnescape(rest); err == nil {
			rest = decoded
		}
		return clean(rest)
	case remote && nested(scheme):
		return p // the address of another file within it: nothing can be told apart
	case remote:
		return address(scheme, rest)
	case strings.HasPrefix(p, "//"): // \\host\share, which Kodi calls smb://
		return address("smb", p[2:])
	default:
		return clean(p)
	}
}

// nested are the schemes whose rest is not a host and a path.
func nested(scheme string) bool {
	return slices.Contains([]string{"stack", "multipath", "zip", "rar", "archive", "bluray", "dvd", "udf", "iso9660", "plugin", "videodb", "special"}, strings.ToLower(scheme))
}

func address(scheme, rest string) string {
	host, way, _ := strings.Cut(rest, "/")
	host = host[strings.LastIndex(host, "@")+1:]
	return strings.ToLower(scheme) + "://" + strings.ToLower(host) + clean("/"+way)
}

// clean takes out steps, and keeps a slash at the end.
func clean(p string) string {
	if p == "" {
		return p
	}
	c := path.Clean(p)
	if strings.HasSuffix(p, "/") && c != "/" {
		c += "/"
	}
	return c
}

// Shown is an entry for a person: without a password, and not too long.
func Shown(entry string) string {
	const limit = 300
	if scheme, rest, remote := strings.Cut(entry, "://"); remote {
		host, way, slash := strings.Cut(rest, "/")
		if at := strings.LastIndex(host, "@"); at >= 0 {
			entry = scheme + "://" + host[at+1:]
			if slash {
				entry += "/" + way
			}
		}
		entry, _, _ = strings.Cut(entry, "?") // what follows may be a key
		entry, _, _ = strings.Cut(entry, "|") // so may Kodi's own options be
	}
	if runes := []rune(entry); len(runes) > limit {
		entry = string(runes[:limit]) + "…"
	}
	return strings.Map(printable, entry)
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
