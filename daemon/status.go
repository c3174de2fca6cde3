package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Status implements [control.API].
func (d *core) Status(ctx context.Context) (control.Status, error) {
	s, err := d.examined(ctx, d.offline)
	s.Problems = health.Roots(s.Problems)
	return s, err
}

// Check implements [control.API].
func (d *core) Check(ctx context.Context) (control.Status, error) { return d.examined(ctx, true) }

// examined is how things stand, with every problem that there is: with atOnce also what has
// just begun.
func (d *core) examined(ctx context.Context, atOnce bool) (control.Status, error) {
	s, err := d.look(ctx)
	if err != nil {
		return s, err
	}
	if len(s.Accounts) > 1 {
		counts, err := d.store.CountsOf(ctx)
		if err != nil {
			return s, err
		}
		for i, a := range s.Accounts {
			one := counts[a.Name]
			s.Accounts[i].Counts = &one
			if s.Accounts[i].Oldest, _, err = d.store.OldestPending(ctx, a.Name); err != nil {
				return s, err
			}
		}
	}
	var found []control.Problem
	if free, err := sqlite.Free(d.o.Paths.State); err == nil && free < lowRoom {
		room := viewing.Said(fmt.Sprintf("%d MB", free>>20))
		found = append(found, control.Problem{Code: health.DiskLow, What: &room})
	}
	s.Problems = health.Judge(health.Conditions{Status: &s, Troubles: found, Now: time.Now(), AtOnce: atOnce})
	s.State = health.State(&s, s.Problems)
	return s, nil
}

// lowRoom is how little room on the disk is told of, in bytes: some months of viewings,
// and less than other programs take in a day.
const lowRoom = 100 << 20

// status is how the queue, the accounts and the sources stand, without a sentence for
// it, at the same cost whatever waits. look looks at an account, and library at a library.
func (d *core) status(
	ctx context.Context, look func(context.Context, string) (control.Account, error), library func(*kodi.Importer) kodi.Status,
) (s control.Status, err error) {
	s = control.Status{Version: d.o.Version, Sources: d.sourceStatus(library), Untitled: d.o.Config.IgnoreUntitled}
	for _, name := range d.accountNames() {
		one, err := look(ctx, name)
		if err != nil {
			return s, err
		}
		s.Accounts = append(s.Accounts, one)
	}
	var faults [4]error
	var oldest time.Time
	var waits bool
	s.Counts, faults[0] = d.store.Counts(ctx)
	s.Waves, faults[1] = d.store.Waves(ctx)
	s.Notices, faults[2] = d.store.Notices(ctx)
	if oldest, waits, faults[3] = d.store.OldestPending(ctx, ""); waits {
		s.OldestPendingSeconds = max(0, int64(time.Since(oldest).Seconds()))
	}
	if err := errors.Join(faults[:]...); err != nil {
		return s, err
	}
	if t, ok := d.store.Trouble(); ok {
		s.Storage = &control.Storage{Reason: t.Message(), Since: t.Since.UTC(), Refused: t.Refused}
	}
	if !slices.ContainsFunc(s.Accounts, func(a control.Account) bool { return !a.Unused }) {
		for i := range s.Accounts {
			s.Accounts[i].Unused = false
		}
	}
	counts, err := d.store.CountsOf(ctx)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if _, known := d.o.Config.Accounts[name]; !known && counts[name].Pending > 0 {
			s.Accounts = append(s.Accounts, control.Account{
				Name: name, State: account.Attention, Reason: viewing.Say("notConfigured"), Hint: viewing.Say("hint.moveAway", "name", name),
				Troubles: []control.Problem{{Code: health.AccountUnknown, About: name}},
			})
		}
	}
	return s, err
}

// status is how this instance stands, before it is judged.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	s, err := d.core.status(ctx, d.accountStatus, (*kodi.Importer).Status)
	s.Listen = d.address
	if !slices.ContainsFunc(s.Accounts, func(a control.Account) bool { return a.Drops }) {
		s.Playing = d.playing.list()
	}
	return s, err
}

// accountStatus is how one account stands.
func (d *Daemon) accountStatus(ctx context.Context, name string) (control.Account, error) {
	a := d.accounts[name]
	l := a.conn.Load()
	out, err := d.accountOf(ctx, a.loop.Health(), l.credential, l.problem)
	if t := l.clock(); t != nil {
		out.Troubles = append(out.Troubles, *t)
	}
	return out, err
}

// accountOf is how an account stands, by its loop, its key and address, and what is kept
// of it. problem is why there is no client.
func (d *core) accountOf(ctx context.Context, h replay.Health, c config.Credential, problem viewing.Message) (control.Account, error) {
	out := standing(h, c, problem)
	kept, err := d.store.Account(ctx, c.Account)
	if err != nil {
		return out, err
	}
	out.LastDelivered = control.Known(kept.LastDelivered)
	if can, asked := replay.ResolveSupport(kept); asked {
		out.Resolves = &can
	}
	if s, asked := kept.Support[replay.SupportItems]; asked && !s.Has {
		out.Note = viewing.Say("noItems")
	}
	implied := len(d.o.Config.Accounts) == 1 && c.Account == viewing.DefaultAccount
	if implied && h.State == account.NoKey && c.BaseURL == "" && c.KeyProblem.Code == "noKey" && kept.LastDelivered.IsZero() {
		out.Local, out.State, out.Reason, out.Hint, out.Troubles = true, account.OK, viewing.Say("why.local"), viewing.Message{}, nil
	}
	if h.State == account.NoKey {
		counts, err := d.store.CountsOf(ctx)
		if out.Unused = counts[c.Account].Pending == 0; err != nil {
			return out, err
		}
	}
	out.Unresolved, err = d.store.Unresolved(ctx, c.Account)
	return out, err
}

// standing is how an account stands, by its loop and by the key and the address.
// problem is why there is no client.
func standing(h replay.Health, c config.Credential, problem viewing.Message) control.Account {
	if h.State == account.NoKey && problem.Code == "" && !c.Key.IsZero() && c.BaseURL != "" { // the key was given just now
		h = replay.Health{State: account.Offline}
	}
	out := control.Account{
		Name: c.Account, State: h.State, Reason: h.Reason, NextTry: control.Known(h.NextTry),
		PausedUntil: control.Known(h.PausedUntil), Drops: h.Drops, BaseURL: c.BaseURL, User: c.UserName,
	}
	if h.State == account.Offline && h.Reason.Code == "" {
		out.Reason = viewing.Say("asked")
	}
	if h.State == account.NoKey {
		out.State, out.Reason = account.Attention, problem
	}
	if h.State == account.Paused {
		out.Hint = control.Command("filmspool resume")
	}
	if code, verb := accountTrouble(h, c); code != "" {
		t := control.Problem{
			Code: code, About: out.Name, Since: control.Known(h.Since), What: &out.Reason, Act: control.Act{Verb: verb, Target: out.Name},
		}
		if code == health.Unreachable {
			t.After = awayAfter
		}
		out.Troubles = []control.Problem{t}
		if command := health.CommandOf(t); command != nil {
			out.Hint = control.Command("%s", *command)
		}
	}
	return out
}

// accountTrouble is what is wrong with an account, and what mends it where that is not the usual:
// a login does not help where a stronger source of key or address wins over it.
func accountTrouble(h replay.Health, c config.Credential) (code, verb string) {
	switch {
	case h.State == account.NoKey && c.BaseURL == "":
		return health.KeyMissing, "address"
	case h.State == account.NoKey:
		return health.KeyMissing, ""
	case h.State == account.Offline:
		return health.Unreachable, ""
	case h.State != account.Attention:
		return "", ""
	case h.Pause == account.PausedAddress && c.URLSource != "" && c.URLSource != "login":
		return health.AddressWrong, "file"
	case h.Pause == account.PausedAddress:
		return health.AddressWrong, ""
	case h.Pause == account.PausedKey && keyRefused(h.Reason.Code) && c.KeySource == "systemd credential":
		return health.KeyRefused, "credential"
	case h.Pause == account.PausedKey && keyRefused(h.Reason.Code):
		return health.KeyRefused, ""
	case h.Pause == "":
		return health.QueueUnwritable, ""
	default:
		return health.AccessRefused, ""
	}
}

// keyRefused reports whether a message says that the key is at fault.
func keyRefused(code string) bool {
	return code == "keyRefused" || code == "keyReadOnly" || code == "keyAnothers"
}

const (
	// missingAfter is how long a library may be missing without a word: drives are
	// plugged in and network folders mounted for a minute or two after a start, and
	// systemd waits 90 s for them.
	missingAfter = 5 * time.Minute
	// awayAfter is the same for what passes by itself: a server may be off overnight.
	awayAfter = 24 * time.Hour
)

// kodiSource is a library as a source of the status. What passes by itself waits; what
// does not needs the user.
func kodiSource(s kodi.Status, label string) control.Source {
	out := control.Source{Name: "kodi:" + s.Userdata, Kind: viewing.SourceKodi, Label: label, State: account.OK, LastSeen: control.Known(s.ReadAt), Hint: s.Hint}
	say := func(m viewing.Message, hint string) { // the first hint counts
		if m.Code != "" {
			out.Details = append(out.Details, m)
		}
		if hint != "" && out.Hint.Code == "" {
			out.Hint = viewing.Say(hint)
		}
	}
	since := awaySince(s)
	trouble := func(code string, what viewing.Message, verb, target string, after time.Duration) {
		out.Troubles = append(out.Troubles, control.Problem{
			Code: code, About: cmp.Or(out.Called(), out.Name), Since: control.Known(since), What: &what,
			Act: control.Act{Verb: verb, Target: target}, After: after,
		})
	}
	say(s.Problem, "")
	switch after := unreadAfter(s); s.State {
	case kodi.StateOK:
		say(viewing.Say("holds", "films", strconv.Itoa(s.Films), "episodes", strconv.Itoa(s.Episodes), "watched", strconv.Itoa(s.Watched)), "")
		say(s.Watchlist, "")
		if len(s.Unwatched) > 0 {
			say(viewing.Say("unwatched", "names", strings.Join(s.Unwatched, ", ")), "hint.profile")
		}
		if s.Heard {
			say(viewing.Say("announced"), "")
		}
	case kodi.StateGuarded:
		out.State = account.Attention
		trouble(health.SourceTroubled, s.Problem, "", out.Name, 0)
	default:
		verbs := map[string]string{kodi.StateWaiting: "libraries", kodi.StateDenied: "readable", kodi.StateUnreachable: "server"}
		trouble(health.LibraryUnread, s.Problem, verbs[s.State], out.Name, after)
		out.State = account.Attention
		if after > 0 && time.Since(since) < after {
			out.State = "waiting"
		} else if after > 0 {
			say(viewing.Say("sinceThen", "at", entry.Time(since)), "")
		}
	}
	if len(s.Reporters) > 0 {
		names := strings.Join(s.Reporters, ", ")
		say(viewing.Say("reporters", "names", names), "hint.addonOff")
		trouble(health.LibraryReporter, viewing.Said(names), "", out.Name, 0)
	}
	if len(s.Writers) > 0 {
		code, names := "writers", strings.Join(s.Writers, ", ")
		if s.Heard {
			code = "writersHeard"
		}
		say(viewing.Say(code, "names", names), "hint.releaseReview")
		trouble(health.LibraryWriter, viewing.Said(names), "release", viewing.ReasonReview, 0)
	}
	if i := s.Import; i.Total > 0 && s.Importing {
		say(viewing.Say("importing", "done", strconv.Itoa(i.Done), "total", strconv.Itoa(i.Total)), "")
	} else if i.Total > 0 {
		say(viewing.Say("importCut", "done", strconv.Itoa(i.Done), "total", strconv.Itoa(i.Total)), "hint.importGoesOn")
	}
	return out
}

// unreadAfter is how long a state of a library may last before it needs a person; 0 for
// a state that does not pass by itself.
func unreadAfter(s kodi.Status) time.Duration {
	switch s.State {
	case kodi.StateWaiting:
		return missingAfter
	case kodi.StateStarting, kodi.StateBusy, kodi.StateUpgrading, kodi.StateInterrupted, kodi.StateUnreachable:
		return awayAfter
	default:
		return 0
	}
}

// awaySince is since when a library is as it is. Of a server that does not answer, that
// is the last reading, also before a restart; but it may take its time to start, too.
func awaySince(s kodi.Status) time.Time {
	if s.State == kodi.StateUnreachable && !s.ReadAt.IsZero() && time.Since(s.Since) >= missingAfter {
		return s.ReadAt
	}
	return s.Since
}

// kindOf is what a client is to a person.
func kindOf(k pairing.Client) string {
	if k.Program() {
		return viewing.SourceProgram
	}
	return viewing.SourceBrowser
}

// connectorStatus is what a paired browser is told, in its language.
func (d *Daemon) connectorStatus(ctx context.Context, language string) protocol.Status {
	s, err := d.examined(ctx, false)
	if err != nil {
		return protocol.Status{}
	}
	out := protocol.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: control.NeedUser(s.Counts), Page: d.pages(),
	}
	var last time.Time
	for _, a := range s.Accounts {
		if a.Unused {
			continue
		}
		out.Online = out.Online && a.State == account.OK
		if a.State == account.Attention {
			out.Attention++
		}
		if a.LastDelivered != nil && a.LastDelivered.After(last) {
			last = *a.LastDelivered
			out.LastDelivered = last.UTC().Format(time.RFC3339)
		}
	}
	found := slices.DeleteFunc(health.Roots(s.Problems), func(p control.Problem) bool { return p.Severity == control.Note })
	found = found[:min(len(found), protocol.MaxProblems)]
	health.Write(locale.In(language), found)
	for _, p := range found {
		out.Problems = append(out.Problems, protocol.Problem{Code: p.Code, Severity: string(p.Severity), Text: p.Text, Act: p.Act.Text})
	}
	return out
}
