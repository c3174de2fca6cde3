package health

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/account"
)

// teller puts a status into one sentence, with what a person wants to know beside it.
type teller struct {
	words.Speech
	*control.Status
}

// waiting is how many entries are still to be sent.
func (t teller) waiting() int64 { return t.Counts.Pending + t.Counts.Sending }

// worst is the sentence of the worst problem, and what else matters then.
func (t teller) worst(f finding, text string) string {
	refused, on := "", ""
	switch f.kind {
	case ofQueue:
		if t.Storage != nil {
			refused = t.Say("health.refused", "n", t.Storage.Refused, "since", t.Storage.Since)
			if t.Storage.Refused == 0 {
				refused = t.Say("health.refusedNone", "since", t.Storage.Since)
			}
		}
	case ofAccount:
		if t.inState(account.OK) >= 0 {
			on = t.Say("health.goesOn")
		}
	case ofEntries:
		if f.code != codeWave {
			text = ""
		}
		text = sentences(text, t.Say("health.decide", "n", control.NeedUser(t.Counts)))
	}
	return sentences(text, refused, t.paused("health.sendingPaused"), t.safe(), on)
}

// calm is how things stand where nothing needs a person.
func (t teller) calm() (state account.State, summary, hint string) {
	away, paused, waiting := t.inState(account.Offline), t.inState(account.Paused), t.waiting()
	switch {
	case away >= 0:
		a, key := t.Accounts[away], "health.offline"
		if slices.ContainsFunc(t.Accounts, func(b control.Account) bool { return b.State != a.State }) {
			key = "health.offlineOne"
		}
		reason, _ := t.Retell(a.Reason)
		summary = strings.TrimSuffix(t.Say(key, "account", a.Name, "reason", reason), ".") + "."
		return account.Offline, sentences(strings.ReplaceAll(summary, "?.", "?"), t.paused("health.paused"), t.safe()), ""
	case paused >= 0:
		return account.Paused, sentences(t.paused("health.paused"), cmp.Or(t.safe(), t.Say("health.nothingWaits"))), t.Accounts[paused].Hint
	case waiting > 0:
		return account.OK, t.Say("health.sending", "n", waiting), ""
	case t.Counts.Delivered > 0:
		return account.OK, t.Say("health.delivered"), ""
	case len(t.Sources) == 0:
		return account.OK, t.Say("health.ready"), t.Say("health.pair")
	default:
		return account.OK, t.Say("health.ready"), ""
	}
}

// paused says which accounts are paused; "" when none is. Where all of them are so
// alike, none is named, and the text of the key all says it.
func (t teller) paused(all string) string {
	var each []string
	alike, common := true, ""
	for _, a := range t.Accounts {
		if a.Unused {
			continue
		}
		says := t.until(t.Say(all), a)
		alike = alike && a.State == account.Paused && (common == "" || common == says)
		common = says
		if a.State == account.Paused {
			each = append(each, t.until(t.Say("health.accountPaused", "account", a.Name), a))
		}
	}
	if alike {
		return common
	}
	return sentences(each...)
}

// until says of an account until when it is paused, and what is dropped.
func (t teller) until(says string, a control.Account) string {
	if a.PausedUntil != nil {
		says += t.Say("health.until", "until", a.PausedUntil)
	}
	if a.Drops {
		says += t.Say("health.drops")
	}
	return says + "."
}

// inState is the first account in a state, or -1.
func (t teller) inState(state account.State) int {
	return slices.IndexFunc(t.Accounts, func(a control.Account) bool { return a.State == state && !a.Unused })
}

// safe says that what waits is not lost. It says nothing when nothing waits.
func (t teller) safe() string {
	if t.waiting() == 0 {
		return ""
	}
	return t.Say("health.safe", "n", t.waiting())
}

// sentences joins those that are not empty.
func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}
