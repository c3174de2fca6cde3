package rules

import (
	"net/url"
	"path"
	"strings"
)

// address is a path as filters compare it: its names, in lower case, the
// scheme and the host being the first two of a URL. A leading "" is the root.
type address []string

// newAddress takes a path of any system or URL apart.
func newAddress(text string) address {
	text = strings.ToLower(strings.ReplaceAll(text, `\`, "/"))
	if share, ok := strings.CutPrefix(text, "//"); ok {
		text = "smb://" + share
	}
	scheme, rest, isURL := strings.Cut(text, "://")
	var a address
	switch {
	case isURL:
		host, below, _ := strings.Cut(rest, "/")
		a, rest = append(a, scheme+":", host[strings.LastIndex(host, "@")+1:]), below
	case strings.HasPrefix(text, "/"):
		a, rest = append(a, ""), text
	default:
		rest = text
	}
	for name := range strings.SplitSeq(rest, "/") {
		if name != "" {
			a = append(a, name)
		}
	}
	if isURL && a[1] == "" { // a scheme alone, or one whose paths begin at its root
		a = append(a[:1], a[2:]...)
	}
	return a
}

// maxWraps bounds how often an address is looked for within another.
const maxWraps = 4

// addresses are all by which a file of a library is known: its own, and where
// the stack, the archive or the disc image lies that it is a part of.
func addresses(text string) []address {
	if text == "" {
		return nil
	}
	all := []address{newAddress(text)}
	for range maxWraps {
		inner, ok := unwrap(text)
		if !ok {
			break
		}
		text = inner
		all = append(all, newAddress(text))
	}
	return all
}

// unwrap is the address within an address of Kodi's: the first part of a
// stack, or what stands in the place of the host of an archive.
func unwrap(text string) (inner string, ok bool) {
	if parts, ok := strings.CutPrefix(text, "stack://"); ok {
		first, _, _ := strings.Cut(parts, " , ")
		return strings.ReplaceAll(first, ",,", ","), true
	}
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		return "", false
	}
	host, _, _ := strings.Cut(rest, "/")
	inner, err := url.PathUnescape(host)
	return inner, err == nil && inner != host && strings.ContainsAny(inner, `/\`)
}

// pattern is an address in which names may hold * and ?, and ** stands for any
// number of names.
type pattern []string

// anyNames is the name that stands for any number of them.
const anyNames = "**"

func newPattern(text string) pattern {
	if text == "" {
		return nil
	}
	return pattern(newAddress(text))
}

func (p pattern) fitsAny(all []address) bool {
	for _, a := range all {
		if p.fits(a) {
			return true
		}
	}
	return false
}

// fits reports whether the pattern names the address or a folder above it. It
// goes on from the last ** when a name does not fit: what an earlier one could
// take, the last can too.
func (p pattern) fits(a address) bool {
	i, j, star, from := 0, 0, -1, 0
	for i < len(p) {
		switch {
		case p[i] == anyNames:
			star, from = i, j
			i++
		case j < len(a) && fitsName(p[i], a[j]):
			i, j = i+1, j+1
		case star >= 0 && from < len(a):
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	return true
}

// fitsName compares one name. Brackets are common in the names of files and
// stand for themselves.
func fitsName(p, name string) bool {
	if !strings.ContainsAny(p, "*?") {
		return p == name
	}
	ok, err := path.Match(plainBrackets(p), name)
	return err == nil && ok
}

func plainBrackets(p string) string { return strings.ReplaceAll(p, "[", `\[`) }
