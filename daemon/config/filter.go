package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The actions of filters and classes.
const (
	Send   = "send"
	Hold   = "hold"
	Ignore = "ignore"
)

// Filter says what becomes of the viewings that fit all that it names. The
// first that fits has its say.
type Filter struct {
	// Path names a file of a library, or a folder with all below it. In it *
	// stands for any characters of a name, ? for one, ** for any folders; cases
	// of letters do not count.
	Path string `toml:"path,omitempty" json:"path,omitempty"`
	// Folder is the same for the library's source that the file lies under.
	Folder string `toml:"folder,omitempty" json:"folder,omitempty"`
	// Source is who saw it, by "kind:name" or kind, as in [Config.Routes].
	Source string `toml:"source,omitempty" json:"source,omitempty"`
	// Site is a host name, and stands for those below it too.
	Site string `toml:"site,omitempty" json:"site,omitempty"`
	// Kind is movie or episode.
	Kind string `toml:"kind,omitempty" json:"kind,omitempty"`
	// Genre and Tag are the library's; of an episode, its series'.
	Genre string `toml:"genre,omitempty" json:"genre,omitempty"`
	Tag   string `toml:"tag,omitempty" json:"tag,omitempty"`
	// ShorterThan is more than the length of the file.
	ShorterThan *Duration `toml:"shorter_than,omitempty" json:"shorterThan,omitempty"`
	// Action is send, hold or ignore.
	Action string `toml:"action" json:"action"`
}

// Classes say what becomes of what libraries find: send, hold or ignore.
type Classes struct {
	Live      string `toml:"live" json:"live"`
	CatchUp   string `toml:"catch-up" json:"catchUp"`
	Bulk      string `toml:"bulk" json:"bulk"`
	Backdated string `toml:"backdated" json:"backdated"`
	Review    string `toml:"review" json:"review"`
	Marked    string `toml:"marked" json:"marked"`
}

// defaultClasses send what was played, and hold the rest.
func defaultClasses() Classes {
	return Classes{Live: Send, CatchUp: Send, Bulk: Hold, Backdated: Hold, Review: Hold, Marked: Send}
}

// ByName are the actions by the name of the class.
func (c Classes) ByName() map[string]string {
	return map[string]string{"live": c.Live, "marked": c.Marked, "catch-up": c.CatchUp, "bulk": c.Bulk, "backdated": c.Backdated, "review": c.Review}
}

func (c Classes) validate() error {
	var faults []error
	for name, action := range c.ByName() {
		faults = append(faults, checkWord("kodi.classes."+name, action, Send, Hold, Ignore))
	}
	return errors.Join(faults...)
}

// validateFilters checks each filter, and that none stands in the way of all
// others: one that names nothing fits everything, and is good as the last.
func (c Config) validateFilters() error {
	var faults []error
	for i, f := range c.Filters {
		setting := fmt.Sprintf("filters[%d]", i)
		faults = append(faults, f.validate(setting))
		if !f.everything() {
			continue
		}
		before := c.Filters[:i]
		switch {
		case i < len(c.Filters)-1:
			faults = append(faults, fault(setting, "fault.filterAll"))
		case f.Action == Ignore && !slices.ContainsFunc(before, func(f Filter) bool { return f.Action != Ignore }):
			faults = append(faults, fault(setting, "fault.filterIgnoresAll"))
		}
	}
	return errors.Join(faults...)
}

// everything reports a filter that names nothing.
func (f Filter) everything() bool {
	f.Action = ""
	return f == Filter{}
}

func (f Filter) validate(setting string) error {
	faults := []error{
		checkPattern(setting+".path", f.Path), checkPattern(setting+".folder", f.Folder),
		checkSite(setting+".site", f.Site),
	}
	if f.Source != "" {
		faults = append(faults, checkSource(setting+".source", f.Source))
	}
	if f.Action == "" {
		faults = append(faults, fault(setting+".action", "fault.filterAction"))
	} else {
		faults = append(faults, checkWord(setting+".action", f.Action, Send, Hold, Ignore))
	}
	if f.Kind != "" {
		faults = append(faults, checkWord(setting+".kind", f.Kind, "movie", "episode"))
	}
	for name, word := range map[string]string{"genre": f.Genre, "tag": f.Tag} {
		if word != "" && strings.TrimSpace(word) == "" {
			faults = append(faults, fault(setting+"."+name, "fault.blank"))
		}
	}
	switch {
	case f.ShorterThan == nil:
	case f.ShorterThan.wrong != "":
		faults = append(faults, f.ShorterThan.fault(setting+".shorter_than"))
	case f.ShorterThan.Duration <= 0:
		faults = append(faults, fault(setting+".shorter_than", "fault.noLength", "value", strconv.Quote(f.ShorterThan.String())))
	}
	return errors.Join(faults...)
}

// maxPattern bounds a pattern, in bytes.
const maxPattern = 4000

// checkPattern refuses what fits nothing, or not what was meant.
func checkPattern(setting, pattern string) error {
	plain := strings.ReplaceAll(pattern, `\`, "/")
	first, _, _ := strings.Cut(plain, "/")
	switch {
	case pattern == "":
		return nil
	case len(pattern) > maxPattern:
		return fault(setting, "fault.longer", "n", strconv.Itoa(maxPattern))
	case strings.ContainsFunc(pattern, unicode.IsControl):
		return fault(setting, "fault.noPathSign", "value", strconv.Quote(pattern))
	case strings.TrimSpace(pattern) != pattern:
		return fault(setting, "fault.pathSpace", "value", strconv.Quote(pattern))
	case strings.Contains(pattern, "***"):
		return fault(setting, "fault.threeStars", "value", strconv.Quote(pattern))
	case slices.ContainsFunc(strings.Split(plain, "/"), func(name string) bool { return name != "**" && strings.Contains(name, "**") }):
		return fault(setting, "fault.starsWithin", "value", strconv.Quote(pattern))
	case first != "" && first != "**" && !strings.HasSuffix(first, ":"):
		return fault(setting, "fault.pathNowhere", "value", strconv.Quote(pattern), "path", plain)
	default:
		return nil
	}
}

// checkSource refuses what no source is called.
func checkSource(setting, source string) error {
	kind, _, _ := strings.Cut(source, ":")
	if slices.Contains(viewing.Sources(), kind) {
		return nil
	}
	return fault(setting, "fault.noSource", "value", strconv.Quote(source))
}

// checkSite refuses what is no host name.
func checkSite(setting, site string) error {
	if strings.ContainsAny(site, "/:*? ") {
		return fault(setting, "fault.noSite", "value", strconv.Quote(site))
	}
	return nil
}
