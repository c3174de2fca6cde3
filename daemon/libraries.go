package daemon

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openKodi makes an importer for each library of the configuration, and for
// what libraries were exported to.
func (d *Daemon) openKodi() error {
	log := d.log.With("part", "kodi")
	door := newLibrarian(d.keys)
	for _, l := range d.o.Config.Kodi.Libraries {
		door.add(filepath.Clean(l.Userdata), l.MySQLUser)
	}
	for _, l := range d.o.Config.Kodi.Libraries {
		err := d.openLibrary(l.TimeZone, kodi.Options{
			Library: kodi.Folder(l.Userdata, l.Playlists, door, log), Watched: door.folders, Logger: log,
			Announcements: d.o.Config.Kodi.Announcements,
			Wishes:        rule.Wishes{Tag: l.WatchlistTag, Sets: l.MovieSets, Playlists: l.Playlists, Items: true},
		})
		if err != nil {
			return fmt.Errorf("open library %s: %w", l.Userdata, err)
		}
	}
	for _, e := range d.o.Config.Kodi.NFO {
		if err := d.openLibrary(e.TimeZone, kodi.Options{Library: kodi.Exported(e.Path, log), SecondHand: true, Logger: log}); err != nil {
			return fmt.Errorf("open NFO files %s: %w", e.Path, err)
		}
	}
	return nil
}

func (d *Daemon) openLibrary(zone string, o kodi.Options) (err error) {
	if o.Zone, err = zoneOf(zone); err != nil {
		return err
	}
	settings := settingsOf(d.o.Config)
	if settings.Approve != rules.ApproveAll { // the rest is known when an item is told
		settings.Approve = rules.ApproveNone
	}
	o.Sink, o.Account = d.store, kodiAccount{d, settings}
	k, err := kodi.New(o)
	if err != nil {
		return err
	}
	d.sources = append(d.sources, kodiLibrary{k})
	return nil
}

// kodiAccount tells a library of the account that it feeds.
type kodiAccount struct {
	d     *Daemon
	rules rules.Settings
}

// Foresee implements [kodi.Account]: it tells what the rules would make of an
// item.
func (a kodiAccount) Foresee(source string, v viewing.Event, m viewing.Media, now time.Time) scan.Fate {
	d := rules.Decide(a.rules, source, v, &m, now)
	return scan.Fate{State: d.State, Reason: d.Reason, Why: d.Why()}
}

// Hosts implements [kodi.Account]. A service without a name of its own is told
// by its port.
func (a kodiAccount) Hosts(source string) (hosts []string) {
	for _, name := range a.rules.AccountsOf(source) {
		c, err := a.d.keys.Find(name, a.d.o.Config.Accounts[name], a.d.o.Paths.File)
		if err != nil {
			continue
		}
		base, err := url.Parse(c.BaseURL)
		switch {
		case err != nil || base.Host == "":
		case base.Hostname() == "localhost" || net.ParseIP(base.Hostname()) != nil:
			hosts = append(hosts, base.Host)
		default:
			hosts = append(hosts, base.Hostname())
		}
	}
	return hosts
}

// zoneOf is a zone of the configuration; nil leaves it to Kodi's settings, else to
// this machine's.
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	return time.LoadLocation(name)
}

// ScanKodi implements [control.API]. A library that cannot be read is part
// of the answer, with the reason in its state.
func (c *api) ScanKodi(ctx context.Context) (control.Scan, error) {
	out := control.Scan{Libraries: []scan.Report{}}
	for _, k := range c.d.kodis() {
		report, err := k.Scan(ctx)
		if err != nil {
			c.d.log.Warn("a library cannot be read", "userdata", report.Userdata, "state", report.State, "error", err)
		}
		out.Libraries = append(out.Libraries, report)
	}
	return out, nil
}

// doubling warns of add-ons that report to the same service.
func doubling(addons []string) string {
	if len(addons) == 1 {
		return "the add-on " + addons[0] + " of this Kodi reports to the same service: what is new here is held for you, for it may be there already"
	}
	return "the add-ons " + strings.Join(addons, ", ") + " of this Kodi report to the same service: what is new here is held for you, for it may be there already"
}

const (
	// missingAfter is how long a library may be missing without a word: drives are
	// plugged in and network folders mounted for a minute or two after a start, and
	// systemd waits 90 s for them.
	missingAfter = 5 * time.Minute
	// awayAfter is the same for what passes by itself: a server may be off overnight.
	awayAfter = 24 * time.Hour
)

// remarks are the clauses about a library that is read well.
func remarks(s kodi.Status) (all string) {
	for _, r := range []struct{ before, clause, after string }{
		{"", s.Beside, ""},
		{"", s.Amiss, ""},
		{"looked at now and then: ", s.Deaf, ""},
		{"not watched: the profile ", strings.Join(s.Unwatched, ", "), ", which has a library of its own"},
		{"", s.Clock, ""},
	} {
		if r.clause != "" {
			all += "; " + r.before + r.clause + r.after
		}
	}
	if s.Announcements == scan.Heard {
		all += "; Kodi says what it plays"
	}
	return all
}

// kodiSource is a library in the words of the control API. What passes by
// itself waits; what does not needs the user.
func kodiSource(s kodi.Status) control.Source {
	out := control.Source{
		Name: "kodi:" + s.Userdata, Kind: viewing.SourceKodi, LastSeen: known(s.ReadAt), Detail: strings.TrimSuffix(s.Summary, "."), Hint: s.Hint,
	}
	switch s.State {
	case kodi.StateOK:
		out.State = account.OK
		out.Detail = fmt.Sprintf("%d films and %d episodes, %d watched%s", s.Films, s.Episodes, s.Watched, remarks(s))
	case kodi.StateStarting, kodi.StateWaiting, kodi.StateBusy, kodi.StateUpgrading, kodi.StateInterrupted, kodi.StateUnreachable:
		out.State = "waiting"
	default:
		out.State = account.Attention
	}
	if away := time.Since(s.Since); out.State == "waiting" && (away >= awayAfter || s.State == kodi.StateWaiting && away >= missingAfter) {
		out.State = account.Attention
		out.Detail += ", since " + s.Since.Local().Format("2006-01-02 15:04")
	}
	if len(s.Unwatched) > 0 && s.State == kodi.StateOK {
		out.Hint = cmp.Or(out.Hint, "to watch that profile too, name its folder under [[kodi.libraries]]; see: filmspool kodi libraries")
	}
	if len(s.Reporters) > 0 {
		out.Detail += "; " + doubling(s.Reporters)
		out.Hint = cmp.Or(out.Hint, "turn that add-on off in Kodi, or take the library out of the configuration")
	}
	if len(s.Writers) > 0 {
		held := "what is new is held for you"
		if s.Announcements == scan.Heard {
			held = "what was not seen to be played is held for you"
		}
		out.Detail += "; " + held + ": " + strings.Join(s.Writers, ", ") + " of this Kodi writes here what was watched elsewhere"
		out.Hint = cmp.Or(out.Hint, "filmspool queue release --reason review sends what is held; to have nothing held, turn that add-on off in Kodi")
	}
	if i := s.Import; i.Total > 0 && s.Importing {
		out.Detail += fmt.Sprintf("; importing %d of %d", i.Done, i.Total)
	} else if i.Total > 0 {
		out.Detail += fmt.Sprintf("; an import was cut short after %d of %d", i.Done, i.Total)
		out.Hint = cmp.Or(out.Hint, "filmspool kodi import goes on with it")
	}
	return out
}
