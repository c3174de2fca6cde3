package daemon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sourceStatus is how the sources stand. library looks at a library.
func (d *core) sourceStatus(library func(*kodi.Importer) kodi.Status) []control.Source {
	list := []control.Source{}
	for _, k := range d.pairing.List() {
		list = append(list, control.Source{
			Name: kindOf(k) + ":" + k.ID, Kind: kindOf(k), State: account.OK, LastSeen: control.Known(k.LastSeen), Label: k.Label, Unread: k.Unread,
		})
	}
	for _, k := range d.libraries {
		s := library(k)
		list = append(list, kodiSource(s, d.o.Config.Named(s.Userdata)))
	}
	for _, p := range d.providers {
		list = append(list, p.status())
	}
	return list
}

// libraryStopTime is how long a stop waits for a library. Reading it takes longer only
// where the file system does not answer, such as a network drive that is away; no call
// that hangs there can be ended.
const libraryStopTime = 2 * time.Second

// runLibrary runs an importer until it ends. After ctx has ended it is waited for only
// so long, and then left behind: the program is about to end, and the queue refuses what
// comes after that.
func (d *Daemon) runLibrary(ctx context.Context, name string, run func(context.Context) error) error {
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(libraryStopTime)
	defer patience.Stop()
	select {
	case err := <-ended:
		return err
	case <-patience.C:
		d.log.Warn("a library is left behind: its file system does not answer", "source", name)
		return nil
	}
}

// openLibraries makes an importer for each Kodi library of the configuration.
func (d *core) openLibraries() error {
	access := &libraryAccess{keys: d.keys, config: d.o.Config, taken: map[string]string{}}
	for _, l := range d.o.Config.Kodi.Libraries {
		o := kodi.Options{
			Userdata: l.Userdata, Access: access, Watched: d.o.Config.Folders(), Logger: d.log.With("part", "kodi"),
			Announcements: d.o.Config.Kodi.Announcements, Tags: tagsOf(d.o.Config.Kodi, l),
			Sink: d.store, Account: kodiAccount{d, settingsOf(d.o.Config)}, Playing: d.libraryPlays,
		}
		if l.TimeZone != "" { // else that of Kodi's settings or of this machine
			var err error
			if o.Zone, err = time.LoadLocation(l.TimeZone); err != nil {
				return fmt.Errorf("open library %s: %w", l.Userdata, err)
			}
		}
		d.libraries = append(d.libraries, kodi.New(o))
	}
	return nil
}

// tagsOf says where the tags of a library put its films and series. Libraries of
// the same accounts share their lists.
func tagsOf(k config.Kodi, l config.Library) (all []rule.Target) {
	if l.WatchlistTag != "" {
		all = append(all, rule.Target{Tag: l.WatchlistTag})
	}
	for _, tag := range slices.Sorted(maps.Keys(k.Lists)) {
		all = append(all, rule.Target{Tag: tag, List: k.Lists[tag], Scope: strings.Join(l.Account, ",")})
	}
	return all
}

// kodiAccount tells a library of the account that it feeds.
type kodiAccount struct {
	d     *core
	rules rules.Settings
}

// Predict implements [kodi.Account]: it tells what the rules would make of an
// item.
func (a kodiAccount) Predict(source string, v viewing.Event, m viewing.Media, now time.Time) kodi.Outcome {
	d := rules.Decide(a.rules, source, v, &m, now)
	out := kodi.Outcome{State: d.State, Reason: d.Reason}
	for _, step := range d.Steps[1:] { // the first is about the account
		out.Steps = append(out.Steps, viewing.Message{Code: step.Code, Args: step.Args, Cause: step.Cause})
	}
	return out
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

// libraryAccess gives servers of libraries their login, and each library to one userdata folder
// only: two folders of the same library would report every playback twice. The first folder of
// the configuration has it, whichever asks first after a start.
type libraryAccess struct {
	keys   config.Keys
	config config.Config

	mu    sync.Mutex
	taken map[string]string // userdata folder → its library
}

// Login implements [kodi.Access]: it gives a server the user of the
// configuration, or Kodi's when that is "", and the password that is kept for
// it; else Kodi's. The error wraps [library.ErrMySQL].
func (l *libraryAccess) Login(userdata string, s library.Server) (*library.Server, error) {
	user := s.User
	if i := slices.Index(l.config.Folders(), userdata); i >= 0 {
		user = cmp.Or(l.config.Kodi.Libraries[i].MySQLUser, user)
	}
	password, err := l.keys.Password(user)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", library.ErrMySQL, err)
	}
	if password.IsZero() && user == s.User {
		return &s, nil
	}
	return s.As(user, password.Reveal()), nil
}

// Claim implements [kodi.Access]: it gives a library to a folder, unless one
// before it in the configuration has it. The error wraps [library.ErrShared]
// then. A folder has the one that it led to last.
func (l *libraryAccess) Claim(userdata, origin string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[userdata] = origin
	for _, folder := range l.config.Folders() {
		switch {
		case folder == userdata:
			return nil
		case l.taken[folder] == origin:
			return fmt.Errorf("%w: %s", library.ErrShared, folder)
		}
	}
	return nil
}
