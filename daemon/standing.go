package daemon

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/viewing"
)

// standing is how an account stands, by its loop and by the key and the address.
// problem is why there is no client.
func standing(h replay.Health, c config.Credential, problem viewing.Message) control.Account {
	if h.State == account.NoKey && problem.Code == "" && !c.Key.IsZero() && c.BaseURL != "" { // the key was given just now
		h = replay.Health{State: account.Offline}
	}
	out := control.Account{
		Name: c.Account, State: h.State, Reason: h.Reason, NextTry: control.Known(h.NextTry), Since: h.Since,
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
