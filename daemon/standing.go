package daemon

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// standing is how an account stands, in a person's words: by its loop, and by
// the key and the address. problem is why there is no client. A login does not
// help where a stronger source of key or address wins over it.
func standing(h replay.Health, c config.Credential, problem, file string) control.Account {
	if h.State == account.NoKey && problem == "" && !c.Key.IsZero() && c.BaseURL != "" { // the key was given just now
		h = replay.Health{State: account.Offline}
	}
	out := control.Account{
		Name: c.Account, State: h.State, Reason: words.Plain(h.Reason), Hint: words.Plain(h.Hint), NextTry: control.Known(h.NextTry), Since: h.Since, PausedUntil: control.Known(h.PausedUntil), Drops: h.Drops, BaseURL: c.BaseURL, User: c.UserName,
	}
	switch {
	case h.State == account.Offline && h.Reason.Code == "":
		out.Reason = "The service is being asked."
	case h.State == account.NoKey:
		out.State, out.Reason, out.Hint = account.Attention, problem, "filmspool login"
		if c.BaseURL == "" {
			out.Hint = "filmspool login --base-url https://…/api/v1"
		}
	}
	switch {
	case h.Pause == account.PausedAddress && c.URLSource != "" && c.URLSource != "login":
		out.Hint = fmt.Sprintf("change base_url of [accounts.%s] in %s, then restart filmspool", c.Account, file)
	case h.Pause == account.PausedKey && c.KeySource == "systemd credential":
		out.Hint = "change the systemd credential of account " + c.Account + ", then restart the service"
	}
	out.Hint = loginOf(c.Account, out.Hint)
	out.Troubles = accountTroubles(h, c, out)
	return out
}

// accountTroubles are what package health is told of an account.
func accountTroubles(h replay.Health, c config.Credential, a control.Account) []control.Trouble {
	t := control.Trouble{About: a.Name, Detail: a.Reason, Hint: a.Hint, Since: h.Since}
	switch {
	case h.State == account.NoKey && c.BaseURL == "":
		t.Code = health.AddressMissing
	case h.State == account.NoKey && c.ProvenFor != "" && c.Key.IsZero():
		t.Code = health.KeyElsewhere
	case h.State == account.NoKey && c.Key.IsZero():
		t.Code = health.KeyMissing
	case h.State == account.Offline && h.Throttled:
		t.Code = health.Throttled
	case h.State == account.Offline:
		t.Code = health.Unreachable
	case h.State != account.Attention:
		return nil
	case h.Pause == account.PausedAddress && strings.HasPrefix(a.Hint, "filmspool "):
		t.Code = health.AddressWrong
	case h.Pause == account.PausedAddress:
		t.Code = health.AddressConfigured
	case h.Pause == account.PausedKey && !strings.HasPrefix(a.Hint, "filmspool "):
		t.Code = health.KeyCredential
	case h.Pause == account.PausedKey:
		t.Code = keyTrouble(h)
	case h.Pause == "":
		t.Code = health.QueueUnwritable
	}
	return []control.Trouble{t}
}

// keyTrouble is why a key is refused.
func keyTrouble(h replay.Health) string {
	switch h.Reason.Code {
	case tracker.KeyRefused:
		return health.KeyRefused
	case tracker.KeyReadOnly:
		return health.KeyReadOnly
	case replay.KeyAnothers:
		return health.KeyAnothers
	default:
		return health.AccessRefused
	}
}

// loginOf is a hint whose login is that of an account.
func loginOf(account, hint string) string {
	if account == viewing.DefaultAccount || strings.Contains(hint, " --account ") {
		return hint
	}
	return strings.Replace(hint, "filmspool login", "filmspool login --account "+account, 1)
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
		{"", s.Watchlist, ""},
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
		Name: "kodi:" + s.Userdata, Kind: viewing.SourceKodi, LastSeen: control.Known(s.ReadAt), Detail: strings.TrimSuffix(s.Summary, "."), Hint: s.Hint,
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
	if away := time.Since(awaySince(s)); out.State == "waiting" && (away >= awayAfter || s.State == kodi.StateWaiting && away >= missingAfter) {
		out.State = account.Attention
		out.Detail += ", since " + awaySince(s).Local().Format("2006-01-02 15:04")
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
	out.Troubles = libraryTroubles(s, out)
	return out
}

// awaySince is since when a library is as it is. Of a server that does not answer, that
// is the last reading, also before a restart; but it may take its time to start, too.
func awaySince(s kodi.Status) time.Time {
	if s.State == kodi.StateUnreachable && !s.ReadAt.IsZero() && time.Since(s.Since) >= missingAfter {
		return s.ReadAt
	}
	return s.Since
}

// libraryTroubles are what package health is told of a library.
func libraryTroubles(s kodi.Status, told control.Source) (all []control.Trouble) {
	add := func(code, detail, hint string) {
		all = append(all, control.Trouble{Code: code, About: told.Name, Detail: detail, Hint: hint, Since: awaySince(s)})
	}
	switch s.State {
	case kodi.StateWaiting:
		add(health.LibraryMissing, told.Detail, s.Hint)
	case kodi.StateDenied:
		add(health.LibraryDenied, told.Detail, s.Hint)
	case kodi.StateUnreachable:
		add(health.LibraryAway, told.Detail, s.Hint)
	}
	if s.State == kodi.StateOK && s.Deaf != "" {
		if limit, ok := strings.CutPrefix(s.Hint, "raise the sysctl "); ok {
			add(health.WatchLimit, limit, s.Hint)
		} else {
			add(health.LibraryDeaf, s.Deaf, "")
		}
	}
	for _, of := range []struct {
		code   string
		addons []string
	}{{health.LibraryReporter, s.Reporters}, {health.LibraryWriter, s.Writers}} {
		if len(of.addons) > 0 {
			add(of.code, strings.Join(of.addons, "\n"), "")
		}
	}
	if s.Clock != "" {
		add(health.LibraryClock, s.Clock, "")
	}
	return all
}

// kindOf is what a client is to a person.
func kindOf(k pairing.Client) string {
	if k.Program() {
		return viewing.SourceProgram
	}
	return viewing.SourceBrowser
}

// browserSource is a paired browser or a program as a source of the status.
func browserSource(k pairing.Client) control.Source {
	return control.Source{
		Name: kindOf(k) + ":" + k.ID, Kind: kindOf(k), State: account.OK, LastSeen: control.Known(k.LastSeen), Detail: k.Label, Unread: k.Unread,
	}
}
