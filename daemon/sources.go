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

// sourceStatus returns the status of all sources. library returns the status of a Kodi library.
func (d *core) sourceStatus(library func(*kodi.Importer) kodi.Status) []control.Source {
	list := []control.Source{}
	for _, k := range d.pairing.List() {
		list = append(list, control.Source{
			Name: clientKind(k) + ":" + k.ID, Kind: clientKind(k), State: account.OK, LastSeen: control.OptionalTime(k.LastSeen), Label: k.Label, Unread: k.Unread,
		})
	}
	for _, k := range d.libraries {
		s := library(k)
		list = append(list, kodiSource(s, d.o.Config.LibraryName(s.Userdata)))
	}
	for _, p := range d.providers {
		list = append(list, p.status())
	}
	return list
}

// libraryStopTimeout is how long to wait for a library at shutdown. Reads take longer only if the
// file system does not respond, such as an unreachable network drive; such a system call cannot
// be interrupted.
const libraryStopTimeout = 2 * time.Second

// runLibrary runs an importer until it ends. It gives up waiting libraryStopTimeout after the end of
// ctx: the process is about to exit, and the queue refuses later writes.
func (d *Daemon) runLibrary(ctx context.Context, name string, run func(context.Context) error) error {
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	timeout := time.NewTimer(libraryStopTimeout)
	defer timeout.Stop()
	select {
	case err := <-ended:
		return err
	case <-timeout.C:
		d.log.Warn("a library is left behind: its file system does not answer", "source", name)
		return nil
	}
}

// openLibraries creates an importer for each configured Kodi library.
func (d *core) openLibraries() error {
	access := &libraryAccess{keys: d.keys, config: d.o.Config, claims: map[string]string{}}
	for _, l := range d.o.Config.Kodi.Libraries {
		o := kodi.Options{
			Userdata: l.Userdata, Access: access, Watched: d.o.Config.Folders(), Logger: d.log.With("part", "kodi"),
			Announcements: d.o.Config.Kodi.Announcements, Tags: tagTargets(d.o.Config.Kodi, l),
			Sink: d.store, Account: kodiAccount{d, ruleSettings(d.o.Config)}, Playing: d.updateLibraryPlaying,
		}
		if l.TimeZone != "" { // else the zone of Kodi's settings or of this machine
			var err error
			if o.Zone, err = time.LoadLocation(l.TimeZone); err != nil {
				return fmt.Errorf("open library %s: %w", l.Userdata, err)
			}
		}
		d.libraries = append(d.libraries, kodi.New(o))
	}
	return nil
}

// tagTargets returns the lists and the watchlist that the tags of a library stand for. Libraries
// with the same accounts share their lists.
func tagTargets(k config.Kodi, l config.Library) (all []rule.Target) {
	if l.WatchlistTag != "" {
		all = append(all, rule.Target{Tag: l.WatchlistTag})
	}
	for _, tag := range slices.Sorted(maps.Keys(k.Lists)) {
		all = append(all, rule.Target{Tag: tag, List: k.Lists[tag], Scope: strings.Join(l.Account, ",")})
	}
	return all
}

// kodiAccount implements [kodi.Account] for the accounts that a library feeds.
type kodiAccount struct {
	d     *core
	rules rules.Settings
}

// Predict implements [kodi.Account]: it returns what the rules would do with an item.
func (a kodiAccount) Predict(source string, v viewing.Event, m viewing.Media, now time.Time) kodi.Outcome {
	d := rules.Decide(a.rules, source, v, &m, now)
	out := kodi.Outcome{State: d.State, Reason: d.Reason}
	for _, step := range d.Steps[1:] { // the first is about the account
		out.Steps = append(out.Steps, viewing.Message{Code: step.Code, Args: step.Args, Cause: step.Cause})
	}
	return out
}

// Hosts implements [kodi.Account]. A service on localhost or an IP address is identified by host
// and port.
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

// libraryAccess provides the database login of libraries and assigns each library to one userdata
// folder only: two folders with the same library would report every playback twice. The first
// folder in the configuration gets it, independent of the start order.
type libraryAccess struct {
	keys   config.Keys
	config config.Config

	mu     sync.Mutex
	claims map[string]string // userdata folder → library
}

// Login implements [kodi.Access]: it returns the server with the configured user and the stored
// password. Kodi's own values replace missing ones. The error wraps [library.ErrMySQL].
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
	return s.WithUser(user, password.Reveal()), nil
}

// Claim implements [kodi.Access]: it assigns a library to a folder, in place of the folder's
// previous one. If an earlier folder of the configuration has the library, the error wraps
// [library.ErrShared].
func (l *libraryAccess) Claim(userdata, origin string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims[userdata] = origin
	for _, folder := range l.config.Folders() {
		switch {
		case folder == userdata:
			return nil
		case l.claims[folder] == origin:
			return fmt.Errorf("%w: %s", library.ErrShared, folder)
		}
	}
	return nil
}
