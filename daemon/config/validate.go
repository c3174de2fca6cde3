package config

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// validator collects the errors in a configuration.
type validator struct {
	Config
	faults []error
}

// Validate returns all errors, each wrapping [ErrInvalid] and naming its setting.
func (c Config) Validate() error {
	v := &validator{Config: c}
	v.listen()
	for _, s := range table {
		v.refuse(s.Key, s.check(&c))
	}
	v.accounts()
	for source, names := range c.Routes {
		v.source("routes."+source, source)
		v.names("routes."+source, names)
		if len(names) == 0 {
			v.fault("routes."+source, "fault.noAccounts")
		}
	}
	v.filters()
	for _, site := range c.IgnoreUntitled {
		v.site(untitled, site)
	}
	v.libraries()
	v.lists()
	v.address("resolve.wikidata.endpoint", c.Resolve.Wikidata.Endpoint, wikidata.DefaultEndpoint)
	v.address("resolve.tmdb.base_url", c.Resolve.TMDB.BaseURL, tmdb.DefaultBase)
	v.address("resolve.tmdb.image_url", c.Resolve.TMDB.ImageURL, tmdb.DefaultImages)
	if url := c.Notices.Webhook.URL; url != "" {
		v.address("notices.webhook.url", url, "https://ntfy.example/topic")
	}
	return errors.Join(v.faults...)
}

// refuse adds an error about a setting unless wrong is empty.
func (v *validator) refuse(setting string, wrong viewing.Message) {
	if wrong.Code != "" {
		line := v.lineOf(setting)
		if o, found := v.origins[setting]; found {
			line = o.Line
		}
		v.faults = append(v.faults, invalid(setting, line, wrong))
	}
}

// fault adds an error by the code and the values of its text.
func (v *validator) fault(setting, code string, values ...string) {
	v.refuse(setting, viewing.Say(code, values...))
}

// invalid returns an [ErrInvalid] that names a setting, and its line in config.toml if it has
// one.
func invalid(setting string, line int, wrong viewing.Message) error {
	message := viewing.Say("fault.value", "setting", setting)
	if line > 0 {
		message = viewing.Say("fault.valueAt", "setting", setting, "line", strconv.Itoa(line))
	}
	return &viewing.Refusal{Kind: ErrInvalid, Message: hideMessageKeys(message).Because(hideMessageKeys(wrong))}
}

// word checks that a value is one of the allowed words.
func (v *validator) word(setting, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.refuse(setting, notAllowed(value, allowed))
	}
}

// address checks that requests may be sent to an address.
func (v *validator) address(setting, address, example string) {
	if err := resolve.CheckAddress(address, example); err != nil {
		v.refuse(setting, viewing.MessagesOf(err)[0])
	}
}

// listen checks that the address is a loopback address.
func (v *validator) listen() {
	host, port, err := net.SplitHostPort(v.Listen)
	if _, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil {
		v.fault("listen", "fault.noListen", "value", strconv.Quote(v.Listen))
	} else if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		v.fault("listen", "fault.openListen", "value", strconv.Quote(v.Listen))
	}
}

func (v *validator) accounts() {
	for name, a := range v.Accounts {
		if !accountName.MatchString(name) {
			v.fault("accounts."+name, "fault.accountName", "value", strconv.Quote(name))
		}
		v.word("accounts."+name+".key_header", a.KeyHeader, "x-api-key", "bearer")
		if _, err := tracker.ParseBaseURL(a.BaseURL); a.BaseURL != "" && err != nil {
			v.refuse("accounts."+name+".base_url", viewing.MessagesOf(err)[0])
		}
	}
}

// accountName matches names that are safe as file names on all systems.
var accountName = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

// names checks that accounts exist and are named once.
func (v *validator) names(setting string, names Names) {
	for i, name := range names {
		if _, found := v.Accounts[name]; !found {
			v.fault(setting, "fault.noAccount", "name", strconv.Quote(name))
		} else if slices.Contains(names[:i], name) {
			v.fault(setting, "fault.noAccounts")
		}
	}
}

// source checks the kind of a source.
func (v *validator) source(setting, source string) {
	if kind, _, _ := strings.Cut(source, ":"); !slices.Contains(viewing.Sources(), kind) {
		v.fault(setting, "fault.noSource", "value", strconv.Quote(source))
	}
}

// isName reports whether a name can be displayed: at most 100 printable characters, without
// leading or trailing spaces. It may be empty.
func isName(name string) bool {
	unprinted := func(r rune) bool { return !unicode.IsPrint(r) }
	return strings.TrimSpace(name) == name && utf8.RuneCountInString(name) <= 100 && !strings.ContainsFunc(name, unprinted)
}

// lists checks the tags and names of lists.
func (v *validator) lists() {
	for tag, name := range v.Kodi.Lists {
		for _, text := range []string{tag, name} {
			if strings.TrimSpace(text) != text || text == "" || utf8.RuneCountInString(text) > 200 {
				v.fault(fmt.Sprintf("kodi.lists.%q", tag), "fault.noTag", "value", strconv.Quote(text))
			}
		}
	}
}

// libraries checks the libraries. Two entries with the same folder would double its viewings.
func (v *validator) libraries() {
	folders := v.Folders()
	for i, l := range v.Kodi.Libraries {
		setting := fmt.Sprintf("kodi.libraries[%d]", i)
		if !filepath.IsAbs(l.Userdata) {
			v.fault(setting+".userdata", "fault.notAbsolute", "value", strconv.Quote(l.Userdata))
		} else if slices.Contains(folders[:i], folders[i]) {
			v.fault(setting+".userdata", "fault.twice", "value", strconv.Quote(folders[i]))
		}
		if !isName(l.Name) {
			v.fault(setting+".name", "fault.noLibraryName", "value", strconv.Quote(l.Name))
		}
		v.names(setting+".account", l.Account)
		if _, err := time.LoadLocation(l.TimeZone); err != nil {
			v.fault(setting+".time_zone", "fault.noZone", "value", strconv.Quote(l.TimeZone))
		}
		if strings.TrimSpace(l.WatchlistTag) != l.WatchlistTag {
			v.fault(setting+".watchlist_tag", "fault.noTag", "value", strconv.Quote(l.WatchlistTag))
		}
		if l.MySQLUser != "" && !userName.MatchString(l.MySQLUser) {
			v.fault(setting+".mysql_user", "fault.noUser", "value", strconv.Quote(l.MySQLUser))
		}
	}
}

// Filter says what happens to the viewings that match all its conditions. The first matching
// filter applies.
type Filter struct {
	rules.Match
	// ShorterThan matches files shorter than this.
	ShorterThan *Duration `toml:"shorter_than,omitempty" json:"shorterThan,omitempty"`
	// Action is send, hold or ignore.
	Action string `toml:"action" json:"action"`
}

// Classes are the actions for the viewings of each class: send, hold or ignore.
type Classes struct {
	Live      string `toml:"live" json:"live"`
	CatchUp   string `toml:"catch-up" json:"catchUp"`
	Bulk      string `toml:"bulk" json:"bulk"`
	Backdated string `toml:"backdated" json:"backdated"`
	Review    string `toml:"review" json:"review"`
	Marked    string `toml:"marked" json:"marked"`
}

// ByName returns the actions by class name.
func (c Classes) ByName() map[string]string {
	return map[string]string{"live": c.Live, "marked": c.Marked, "catch-up": c.CatchUp, "bulk": c.Bulk, "backdated": c.Backdated, "review": c.Review}
}

// filters checks each filter. A filter without conditions matches everything, so it must be the
// last one.
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

// site checks a host name.
func (v *validator) site(setting, site string) {
	if strings.ContainsAny(site, "/:*? ") {
		v.fault(setting, "fault.noSite", "value", strconv.Quote(site))
	}
}

// pattern checks that a path pattern can match.
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
