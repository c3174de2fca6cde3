package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxWave bounds [Config.Wave].
const maxWave = 1000

// Validate reports every fault at once, in the order of the file, each wrapping
// [ErrInvalid] and naming its setting.
func (c Config) Validate() error {
	faults := []error{
		checkListen(c.Listen),
		checkWord("log_level", c.LogLevel, words("log_level")...),
		checkWord("in_doubt", c.InDoubt, words("in_doubt")...),
		checkWord("hold", c.Hold, words("hold")...),
	}
	if c.Wave < 0 || c.Wave > maxWave {
		faults = append(faults, fault("wave", "fault.waveRange", "value", strconv.Itoa(c.Wave), "most", strconv.Itoa(maxWave)))
	}
	faults = append(faults, c.Replay.validate(), c.Connector.validate(), c.validateAccounts(), c.validateFilters(), c.Kodi.Classes.validate(), c.Notices.validate())
	for i, l := range c.Kodi.Libraries {
		faults = append(faults, c.validateLibrary(fmt.Sprintf("kodi.libraries[%d]", i), l))
	}
	faults = append(faults, c.Kodi.distinct())
	for source, accounts := range c.Routes {
		setting := "routes." + source
		faults = append(faults, checkSource(setting, source), c.checkAccounts(setting, accounts))
	}
	faults = append(faults, checkAsked("resolve.wikidata.endpoint", c.Resolve.Wikidata.Endpoint, wikidata.DefaultEndpoint))
	faults = append(faults, checkAsked("resolve.tmdb.base_url", c.Resolve.TMDB.BaseURL, tmdb.DefaultBase))
	return c.refusals(faults...)
}

// checkAsked refuses an address of one that may be asked what things are.
func checkAsked(setting, address, usual string) error {
	if err := resolve.CheckAddress(address, usual); err != nil {
		return because(setting, err)
	}
	return nil
}

// refusals are all faults as one list, in the order of the file; those of the
// environment and of flags come first.
func (c Config) refusals(faults ...error) error {
	var all []*refusal
	for _, err := range faults {
		all = append(all, c.placed(err)...)
	}
	slices.SortStableFunc(all, func(a, b *refusal) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.setting, b.setting))
	})
	list := make([]error, len(all))
	for i, r := range all {
		list[i] = r
	}
	return errors.Join(list...)
}

// placed are the refusals in an error. Each names the line of its setting, or of
// the table that it misses in.
func (c Config) placed(err error) (all []*refusal) {
	switch err := err.(type) { //nolint:errorlint // they are ours, joined and not wrapped
	case nil:
	case *refusal:
		if err.line == 0 {
			err.line = c.lineOf(err.setting)
		}
		all = append(all, err)
	case interface{ Unwrap() []error }:
		for _, one := range err.Unwrap() {
			all = append(all, c.placed(one)...)
		}
	}
	return all
}

// lineOf is the line of a setting, or of the table that it misses in; 0 where both
// miss.
func (c Config) lineOf(setting string) (line int) {
	for setting != "" && line == 0 {
		line = c.lines[setting]
		setting = setting[:max(strings.LastIndexByte(setting, '.'), 0)]
	}
	return line
}

// refusal is one fault of a configuration: an [ErrInvalid] with a message.
type refusal struct {
	setting string // "" where the text of the file is at fault
	problem viewing.Message
	line    int // in the file; 0 when it stands in none
}

// Error is the fault for a log.
func (r *refusal) Error() string { return ErrInvalid.Error() + ": " + r.message().Error() }

// Unwrap makes it an [ErrInvalid] with its message.
func (r *refusal) Unwrap() []error { return []error{ErrInvalid, r.message()} }

// message names the setting, what is wrong and the line.
func (r *refusal) message() viewing.Message {
	switch {
	case r.setting == "":
		return r.problem
	case r.line == 0:
		return viewing.Say("fault.value", "setting", r.setting).Because(r.problem)
	default:
		return viewing.Say("fault.valueAt", "setting", r.setting, "line", strconv.Itoa(r.line)).Because(r.problem)
	}
}

// fault is one fault of one setting, by a code and the values of its text.
func fault(setting, code string, values ...string) error {
	return &refusal{setting: setting, problem: viewing.Say(code, values...)}
}

// because is a fault of one setting that err tells.
func because(setting string, err error) error {
	return &refusal{setting: setting, problem: viewing.MessagesOf(err)[0]}
}

// absolute refuses a path that does not begin at the root, with what to write.
func absolute(setting, path string) error {
	if filepath.IsAbs(path) {
		return nil
	}
	rest, ofHome := strings.CutPrefix(path, "~")
	home, err := os.UserHomeDir()
	if ofHome && err == nil && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return fault(setting, "fault.noHome", "value", strconv.Quote(path), "path", strconv.Quote(filepath.Join(home, rest)))
	}
	return fault(setting, "fault.notAbsolute", "value", strconv.Quote(path))
}

// checkListen refuses every address that others could reach.
func checkListen(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return fault("listen", "fault.noListen", "value", strconv.Quote(address))
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fault("listen", "fault.noPort", "value", strconv.Quote(address))
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fault("listen", "fault.openListen", "value", strconv.Quote(address))
	}
	return nil
}

func checkWord(setting, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fault(setting, "fault.noneOf", "value", strconv.Quote(value), "words", strings.Join(allowed, ", "))
}

func (c Connector) validate() error {
	var faults []error
	for _, s := range []struct {
		name         string
		value, limit int
	}{
		{"messages_per_second", c.MessagesPerSecond, 100_000},
		{"burst", c.Burst, 100_000},
		{"sockets", c.Sockets, 1024},
		{"sockets_per_origin", c.SocketsPerOrigin, 1024},
		{"hellos_per_minute", c.HellosPerMinute, 10_000},
	} {
		if s.value < 0 || s.value > s.limit {
			faults = append(faults, fault("connector."+s.name, "fault.rangeUpTo", "value", strconv.Itoa(s.value), "most", strconv.Itoa(s.limit)))
		}
	}
	return errors.Join(faults...)
}

func (c Config) validateAccounts() error {
	var faults []error
	for name, a := range c.Accounts {
		if !accountName(name) {
			faults = append(faults, fault("accounts."+name, "fault.accountName", "value", strconv.Quote(name)))
		}
		faults = append(faults, checkWord("accounts."+name+".key_header", a.KeyHeader, "x-api-key", "bearer"))
		faults = append(faults, checkBaseURL("accounts."+name+".base_url", a.BaseURL))
	}
	return errors.Join(faults...)
}

// checkBaseURL refuses an address that a login would refuse.
func checkBaseURL(setting, base string) error {
	_, err := tracker.ParseBaseURL(base)
	whole := tracker.SuggestAddress(base)
	switch {
	case base == "" || err == nil:
		return nil
	case whole == "":
		return because(setting, err)
	case !strings.HasSuffix(base, "/api/v1"):
		return fault(setting, "fault.addressEnd", "value", strconv.Quote(base), "address", strconv.Quote(whole))
	default:
		return &refusal{setting: setting, problem: viewing.Say("fault.writeAddress", "address", strconv.Quote(whole)).Because(viewing.MessagesOf(err)[0])}
	}
}

// accountName allows names that are safe as file names everywhere: 1 to
// 32 lower-case letters, digits, "-" and "_".
func accountName(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// maxTag bounds the name of a tag, in bytes.
const maxTag = 200

func (c Config) validateLibrary(setting string, l Library) error {
	var faults []error
	faults = append(faults, absolute(setting+".userdata", l.Userdata))
	faults = append(faults, c.validateWhose(setting, l.Account, l.TimeZone))
	if tag := l.WatchlistTag; tag != strings.TrimSpace(tag) || len(tag) > maxTag {
		faults = append(faults, fault(setting+".watchlist_tag", "fault.noTag", "value", strconv.Quote(tag), "n", strconv.Itoa(maxTag)))
	}
	if l.MySQLUser != "" && !plain(l.MySQLUser) {
		faults = append(faults, fault(setting+".mysql_user", "fault.noUser", "value", strconv.Quote(l.MySQLUser)))
	}
	return errors.Join(faults...)
}

// validateWhose checks what every source of Kodi's may name.
func (c Config) validateWhose(setting string, accounts any, zone string) error {
	var faults []error
	if zone != "" {
		if _, err := time.LoadLocation(zone); err != nil {
			faults = append(faults, fault(setting+".time_zone", "fault.noZone", "value", strconv.Quote(zone)))
		}
	}
	if accounts != "" {
		faults = append(faults, c.checkAccounts(setting+".account", accounts))
	}
	return errors.Join(faults...)
}

// distinct refuses to watch one place twice: its viewings would be doubled.
func (k Kodi) distinct() error {
	var faults []error
	seen := map[string]bool{}
	for i, l := range k.Libraries {
		path := filepath.Clean(l.Userdata)
		if seen[path] {
			faults = append(faults, fault(fmt.Sprintf("kodi.libraries[%d].userdata", i), "fault.twice", "value", strconv.Quote(path)))
		}
		seen[path] = true
	}
	return errors.Join(faults...)
}

// checkAccounts refuses what names no account, or one twice.
func (c Config) checkAccounts(setting string, accounts any) error {
	names, ok := accountNames(accounts)
	if !ok {
		return fault(setting, "fault.noAccounts")
	}
	for _, name := range names {
		if _, ok := c.Accounts[name]; !ok {
			return fault(setting, "fault.noAccount", "name", strconv.Quote(name))
		}
	}
	return nil
}
