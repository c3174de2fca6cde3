package health

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
)

// Render renders a status in a language: the summary, the hint and the texts of the problems.
func Render(s locale.Speech, status *control.Status) {
	s.Names = status.SourceNames()
	RenderProblems(s, status.Problems)
	t := summarizer{s, status}
	worst := mostSevere(status.Problems)
	if worst == nil {
		status.Summary, status.Hint = t.allWell()
		return
	}
	status.Summary, status.Hint = t.attention(*worst), worst.Act.Text
	if worst.Act.Command != nil {
		status.Hint = *worst.Act.Command
	}
}

// summarizer builds the summary of a status.
type summarizer struct {
	locale.Speech
	*control.Status
}

// attention returns the summary for a problem that needs the user, with related facts.
func (t summarizer) attention(worst control.Problem) string {
	text, beside := worst.Text, ""
	switch worst.Code {
	case QueueUnwritable:
		if t.Storage != nil {
			beside = t.Say("health.refused", "n", t.Storage.Refused, "since", t.Storage.Since)
		}
	case KeyMissing, KeyRefused, AddressWrong, AccessRefused, AccountUnknown, NothingDelivered:
		if inState(t.Status, account.OK) != nil {
			beside = t.Say("health.goesOn")
		}
	case burst:
		beside = t.Say("health.decide", "n", t.NeedUser())
	case "entries-unknown", "entries-in-doubt", "entries-rejected", "entries-held":
		text = t.Say("health.decide", "n", t.NeedUser())
	}
	return sentences(text, beside, t.pauses(), t.safe())
}

// allWell returns the summary and the hint if nothing needs the user.
func (t summarizer) allWell() (summary, hint string) {
	waits := t.Counts.Pending + t.Counts.Sending + t.LocalUnresolved()
	away := inState(t.Status, account.Offline)
	switch {
	case away != nil:
		key := "health.offline"
		if t.several() {
			key = "health.offlineOne"
		}
		return sentences(locale.Sentence(t.Say(key, "account", away.Name, "reason", t.Message(away.Reason))), t.pauses(), t.safe()), ""
	case inState(t.Status, account.Paused) != nil:
		return sentences(t.pauses(), cmp.Or(t.safe(), t.Say("health.nothingWaits"))), t.Message(inState(t.Status, account.Paused).Hint)
	case waits > 0 && t.IsLocal():
		return t.Say("health.local", "n", waits), ""
	case waits > 0:
		return t.Say("health.sending", "n", waits), ""
	case t.Counts.Delivered > 0:
		return t.Say("health.delivered"), ""
	case len(t.Sources) == 0:
		return t.Say("health.ready"), t.Say("health.pair")
	default:
		return t.Say("health.ready"), ""
	}
}

// pauses returns a sentence about each paused account, or "".
func (t summarizer) pauses() string {
	var each []string
	for _, a := range t.Accounts {
		if a.State != account.Paused || a.Unused {
			continue
		}
		says := t.Say("health.sendingPaused")
		if t.several() {
			says = t.Say("health.accountPaused", "account", a.Name)
		}
		if a.PausedUntil != nil {
			says += t.Say("health.until", "until", a.PausedUntil)
		}
		if a.Drops {
			says += t.Say("health.drops")
		}
		each = append(each, says+".")
	}
	return sentences(each...)
}

// several reports whether more than one account is in use.
func (t summarizer) several() bool {
	used := 0
	for _, a := range t.Accounts {
		if !a.Unused {
			used++
		}
	}
	return used > 1
}

// inState returns the first used account in a state, or nil.
func inState(s *control.Status, state account.State) *control.Account {
	i := slices.IndexFunc(s.Accounts, func(a control.Account) bool { return a.State == state && !a.Unused })
	if i < 0 {
		return nil
	}
	return &s.Accounts[i]
}

// safe says that waiting entries are stored, or returns "" if there are none.
func (t summarizer) safe() string {
	n := t.Counts.Pending + t.Counts.Sending
	if n == 0 {
		return ""
	}
	return t.Say("health.safe", "n", n)
}

// sentences joins the non-empty parts.
func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}
