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
	s, err := d.statusWithProblems(ctx, d.offline)
	s.Problems = health.Roots(s.Problems)
	return s, err
}

// Check implements [control.API].
func (d *core) Check(ctx context.Context) (control.Status, error) {
	return d.statusWithProblems(ctx, true)
}

// statusWithProblems returns the status with all problems. Problems that are reported only after
// a delay are included if immediate is true.
func (d *core) statusWithProblems(ctx context.Context, immediate bool) (control.Status, error) {
	s, err := d.rawStatus(ctx)
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
	var problems []control.Problem
	if free, err := sqlite.FreeSpace(d.o.Paths.State); err == nil && free < lowDiskSpace {
		room := viewing.Verbatim(fmt.Sprintf("%d MB", free>>20))
		problems = append(problems, control.Problem{Code: health.DiskLow, What: &room})
	}
	s.Problems = health.Evaluate(health.Conditions{Status: &s, Troubles: problems, Now: time.Now(), AtOnce: immediate})
	s.State = health.State(&s, s.Problems)
	return s, nil
}

// lowDiskSpace is the free disk space in bytes below which a problem is reported: enough for some
// months of viewings, but less than other programs write in a day.
const lowDiskSpace = 100 << 20

// status returns the queue, the accounts and the sources, without problems and summary. Its cost
// does not depend on the number of waiting entries. accountStatus and library return the status of one
// account and one library.
func (d *core) status(
	ctx context.Context, accountStatus func(context.Context, string) (control.Account, error), library func(*kodi.Importer) kodi.Status,
) (s control.Status, err error) {
	s = control.Status{Version: d.o.Version, Sources: d.sourceStatus(library), Untitled: d.o.Config.IgnoreUntitled}
	for _, name := range d.accountNames() {
		one, err := accountStatus(ctx, name)
		if err != nil {
			return s, err
		}
		s.Accounts = append(s.Accounts, one)
	}
	var faults [4]error
	var oldest time.Time
	var waits bool
	s.Counts, faults[0] = d.store.Counts(ctx)
	s.Bursts, faults[1] = d.store.Bursts(ctx)
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

// status returns the status of this instance, without problems and summary.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	s, err := d.core.status(ctx, d.accountStatus, (*kodi.Importer).Status)
	s.Listen = d.address
	if !slices.ContainsFunc(s.Accounts, func(a control.Account) bool { return a.Drops }) {
		s.Playing = d.playing.list()
	}
	return s, err
}

// accountStatus returns the status of one account.
func (d *Daemon) accountStatus(ctx context.Context, name string) (control.Account, error) {
	a := d.accounts[name]
	l := a.conn.Load()
	out, err := d.describeAccount(ctx, a.loop.Health(), l.credential, l.problem)
	if t := l.clockProblem(); t != nil {
		out.Troubles = append(out.Troubles, *t)
	}
	return out, err
}

// describeAccount returns the status of an account from its loop, its credential and what is
// stored. problem is the reason if there is no client.
func (d *core) describeAccount(ctx context.Context, h replay.Health, c config.Credential, problem viewing.Message) (control.Account, error) {
	out := accountFromHealth(h, c, problem)
	stored, err := d.store.Account(ctx, c.Account)
	if err != nil {
		return out, err
	}
	out.LastDelivered = control.OptionalTime(stored.LastDelivered)
	if can, asked := replay.ResolveSupport(stored); asked {
		out.Resolves = &can
	}
	if s, asked := stored.Support[replay.SupportListItems]; asked && !s.Has {
		out.Note = viewing.Say("noItems")
	}
	implied := len(d.o.Config.Accounts) == 1 && c.Account == viewing.DefaultAccount
	if implied && h.State == account.NoKey && c.BaseURL == "" && c.KeyProblem.Code == "noKey" && stored.LastDelivered.IsZero() {
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

// accountFromHealth returns the part of an account's status that comes from its loop and its
// credential. problem is the reason if there is no client.
func accountFromHealth(h replay.Health, c config.Credential, problem viewing.Message) control.Account {
	if h.State == account.NoKey && problem.Code == "" && !c.Key.IsZero() && c.BaseURL != "" { // the key was given just now
		h = replay.Health{State: account.Offline}
	}
	out := control.Account{
		Name: c.Account, State: h.State, Reason: h.Reason, NextTry: control.OptionalTime(h.NextTry),
		PausedUntil: control.OptionalTime(h.PausedUntil), Drops: h.Drops, BaseURL: c.BaseURL, User: c.UserName,
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
			Code: code, About: out.Name, Since: control.OptionalTime(h.Since), What: &out.Reason, Act: control.Act{Verb: verb, Target: out.Name},
		}
		if code == health.Unreachable {
			t.After = unreachableDelay
		}
		out.Troubles = []control.Problem{t}
		if command := health.CommandOf(t); command != nil {
			out.Hint = control.Command("%s", *command)
		}
	}
	return out
}

// accountTrouble returns the problem code of an account, and the verb of the remedy if it is not
// the default one: a login does not help if a setting with precedence overrides it.
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

// keyRefused reports whether a reason means that the key was refused.
func keyRefused(code string) bool {
	return code == "keyRefused" || code == "keyReadOnly" || code == "keyAnothers"
}

const (
	// missingDelay is how long a library may be missing before it is a problem: drives and network
	// folders may be mounted a minute or two after the start, and systemd waits 90 s for them.
	missingDelay = 5 * time.Minute
	// unreachableDelay is the same for temporary conditions: a server may be off overnight.
	unreachableDelay = 24 * time.Hour
)

// kodiSource returns a library as a source of the status. A temporary condition is "waiting",
// others need the user.
func kodiSource(s kodi.Status, label string) control.Source {
	out := control.Source{Name: "kodi:" + s.Userdata, Kind: viewing.SourceKodi, Label: label, State: account.OK, LastSeen: control.OptionalTime(s.ReadAt), Hint: s.Hint}
	say := func(m viewing.Message, hint string) { // only the first hint is used
		if m.Code != "" {
			out.Details = append(out.Details, m)
		}
		if hint != "" && out.Hint.Code == "" {
			out.Hint = viewing.Say(hint)
		}
	}
	since := unavailableSince(s)
	trouble := func(code string, what viewing.Message, verb, target string, after time.Duration) {
		out.Troubles = append(out.Troubles, control.Problem{
			Code: code, About: cmp.Or(out.DisplayName(), out.Name), Since: control.OptionalTime(since), What: &what,
			Act: control.Act{Verb: verb, Target: target}, After: after,
		})
	}
	say(s.Problem, "")
	switch after := problemDelay(s); s.State {
	case kodi.StateOK:
		say(viewing.Say("holds", "films", strconv.Itoa(s.Films), "episodes", strconv.Itoa(s.Episodes), "watched", strconv.Itoa(s.Watched)), "")
		say(s.Watchlist, "")
		if len(s.Unwatched) > 0 {
			say(viewing.Say("unwatched", "names", strings.Join(s.Unwatched, ", ")), "hint.profile")
		}
		if s.Announcing {
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
		trouble(health.LibraryReporter, viewing.Verbatim(names), "", out.Name, 0)
	}
	if len(s.Writers) > 0 {
		code, names := "writers", strings.Join(s.Writers, ", ")
		if s.Announcing {
			code = "writersHeard"
		}
		say(viewing.Say(code, "names", names), "hint.releaseReview")
		trouble(health.LibraryWriter, viewing.Verbatim(names), "release", viewing.ReasonReview, 0)
	}
	if i := s.Import; i.Total > 0 && s.Importing {
		say(viewing.Say("importing", "done", strconv.Itoa(i.Done), "total", strconv.Itoa(i.Total)), "")
	} else if i.Total > 0 {
		say(viewing.Say("importCut", "done", strconv.Itoa(i.Done), "total", strconv.Itoa(i.Total)), "hint.importGoesOn")
	}
	return out
}

// problemDelay returns how long a library may be in this state before it is a problem, or 0 if
// the state is not temporary.
func problemDelay(s kodi.Status) time.Duration {
	switch s.State {
	case kodi.StateWaiting:
		return missingDelay
	case kodi.StateStarting, kodi.StateBusy, kodi.StateUpgrading, kodi.StateInterrupted, kodi.StateUnreachable:
		return unreachableDelay
	default:
		return 0
	}
}

// unavailableSince returns the start of a library's current state. For an unreachable server it is
// the last successful read, which may precede our start, unless the server may still be starting.
func unavailableSince(s kodi.Status) time.Time {
	if s.State == kodi.StateUnreachable && !s.ReadAt.IsZero() && time.Since(s.Since) >= missingDelay {
		return s.ReadAt
	}
	return s.Since
}

// clientKind returns the source kind of a paired client.
func clientKind(k pairing.Client) string {
	if k.Program() {
		return viewing.SourceProgram
	}
	return viewing.SourceBrowser
}

// connectorStatus returns the status for a paired browser, in its language.
func (d *Daemon) connectorStatus(ctx context.Context, language string) protocol.Status {
	s, err := d.statusWithProblems(ctx, false)
	if err != nil {
		return protocol.Status{}
	}
	out := protocol.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: s.NeedUser(), Page: d.pagesURL(),
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
	problems := slices.DeleteFunc(health.Roots(s.Problems), func(p control.Problem) bool { return p.Severity == control.Note })
	problems = problems[:min(len(problems), protocol.MaxProblems)]
	health.RenderProblems(locale.In(language), problems)
	for _, p := range problems {
		out.Problems = append(out.Problems, protocol.Problem{Code: p.Code, Severity: string(p.Severity), Text: p.Text, Act: p.Act.Text})
	}
	return out
}
