package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/filmspool/filmspool/queue/rules"
)

// Filter says what becomes of the viewings that fit all that it names. The
// first that fits has its say.
type Filter struct {
	rules.Match
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

// ByName are the actions by the name of the class.
func (c Classes) ByName() map[string]string {
	return map[string]string{"live": c.Live, "marked": c.Marked, "catch-up": c.CatchUp, "bulk": c.Bulk, "backdated": c.Backdated, "review": c.Review}
}

// filters checks each filter, and that none stands in the way of all others: one that names
// nothing fits everything, and is good as the last.
func (v *validator) filters() {
	for i, f := range v.Filters {
		setting := fmt.Sprintf("filters[%d]", i)
		v.filter(setting, f)
		before := v.Filters[:i]
		switch {
		case f != (Filter{Action: f.Action}):
		case i < len(v.Filters)-1:
			v.fault(setting, "fault.filterAll")
		case f.Action == "ignore" && !slices.ContainsFunc(before, func(f Filter) bool { return f.Action != "ignore" }):
			v.fault(setting, "fault.filterIgnoresAll")
		}
	}
}

func (v *validator) filter(setting string, f Filter) {
	v.pattern(setting+".path", f.Path)
	v.pattern(setting+".folder", f.Folder)
	if f.Source != "" {
		v.source(setting+".source", f.Source)
	}
	v.site(setting+".site", f.Site)
	if f.Kind != "" {
		v.word(setting+".kind", string(f.Kind), "movie", "episode")
	}
	if f.ShorterThan != nil && f.ShorterThan.Duration <= 0 {
		v.fault(setting+".shorter_than", "fault.noLength", "value", strconv.Quote(f.ShorterThan.String()))
	}
	v.word(setting+".action", f.Action, actions...)
}

// site refuses what is no host name.
func (v *validator) site(setting, site string) {
	if strings.ContainsAny(site, "/:*? ") {
		v.fault(setting, "fault.noSite", "value", strconv.Quote(site))
	}
}

// pattern refuses a path that fits nothing.
func (v *validator) pattern(setting, pattern string) {
	plain := strings.ReplaceAll(pattern, `\`, "/")
	first, _, _ := strings.Cut(plain, "/")
	switch {
	case strings.ContainsFunc(pattern, unicode.IsControl):
		v.fault(setting, "fault.noPathSign", "value", strconv.Quote(pattern))
	case first != "" && first != "**" && !strings.HasSuffix(first, ":"):
		v.fault(setting, "fault.pathNowhere", "value", strconv.Quote(pattern), "path", plain)
	}
}
