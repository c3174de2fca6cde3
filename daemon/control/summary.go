package control

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Summarise puts how things stand into one word, one sentence and one hint:
// the worst thing first.
func (s *Status) Summarise() {
	if needsPerson(s) {
		s.State = account.Attention
		return
	}
	waiting := s.Counts.Pending + s.Counts.Sending
	away, paused := inState(s.Accounts, account.Offline), inState(s.Accounts, account.Paused)
	switch {
	case away >= 0:
		s.State = account.Offline
		s.Summary = sentences(ofOne(s.Accounts, away)+": "+sentence(s.Accounts[away].Reason), pauseWords(s.Accounts, "Paused"), safe(waiting))
	case paused >= 0:
		s.State, s.Hint = account.Paused, s.Accounts[paused].Hint
		s.Summary = sentences(pauseWords(s.Accounts, "Paused"), cmp.Or(safe(waiting), "Nothing waits."))
	case waiting > 0:
		s.State, s.Summary = account.OK, fmt.Sprintf("Sending: %s.", viewings(waiting, "waits", "wait"))
	case s.Counts.Delivered > 0:
		s.State, s.Summary = account.OK, "All is delivered."
	default:
		s.State, s.Summary = account.OK, "Ready. Nothing has been watched yet."
		if len(s.Sources) == 0 {
			s.Hint = "to pair a browser: filmspool pair"
		}
	}
}

// ofOne says that all accounts are offline, or that one of them is where another
// stands otherwise.
func ofOne(accounts []Account, one int) string {
	if !slices.ContainsFunc(accounts, func(a Account) bool { return a.State != accounts[one].State }) {
		return "Offline"
	}
	return "Account " + accounts[one].Name + " is offline"
}

// waveWords say what came as waves; "" when nothing did.
func waveWords(waves []entry.Wave) string {
	var held int64
	var sources []string
	for _, w := range waves {
		held += w.Held
		sources = append(sources, w.Source)
	}
	if held == 0 {
		return ""
	}
	from := "from " + strings.Join(sources, " and ")
	return "Held as a wave, more than a person can watch in a minute: " + viewings(held, from, from) + "."
}

// pauseWords say which accounts are paused; "" when none is. Where all of them are
// so alike, none is named, and all says it.
func pauseWords(accounts []Account, all string) string {
	var each []string
	alike, common := true, ""
	for _, a := range accounts {
		if a.Unused {
			continue
		}
		words := pausedWords(all, a)
		alike = alike && a.State == account.Paused && (common == "" || common == words)
		common = words
		if a.State == account.Paused {
			each = append(each, pausedWords("Account "+a.Name+" is paused", a))
		}
	}
	if alike {
		return common
	}
	return sentences(each...)
}

// pausedWords say that an account is paused, until when, and what is dropped.
func pausedWords(says string, a Account) string {
	if a.PausedUntil != nil {
		says += " until " + a.PausedUntil.Local().Format("2006-01-02 15:04")
	}
	if a.Drops {
		says += ", and what is watched until then is dropped"
	}
	return says + "."
}

// inState is the first account in a state, or -1.
func inState(accounts []Account, state account.State) int {
	return slices.IndexFunc(accounts, func(a Account) bool { return a.State == state && !a.Unused })
}

// needsPerson says what needs a person, the worst thing first. It reports
// whether anything does.
func needsPerson(s *Status) bool {
	waiting := s.Counts.Pending + s.Counts.Sending
	paused := pauseWords(s.Accounts, "Sending is paused")
	if len(s.Notices) > 0 {
		s.Summary, s.Hint = sentences(s.Notices[0].Text, paused), s.Notices[0].Hint
		return true
	}
	if i := inState(s.Accounts, account.Attention); i >= 0 {
		a := s.Accounts[i]
		on := ""
		if inState(s.Accounts, account.OK) >= 0 {
			on = "What other accounts have goes on."
		}
		s.Summary, s.Hint = sentences(fmt.Sprintf("Account %s needs you: %s", a.Name, sentence(a.Reason)), paused, safe(waiting), on), a.Hint
		return true
	}
	if n := NeedUser(s.Counts); n > 0 {
		s.Summary = sentences(waveWords(s.Waves), viewings(n, "waits", "wait")+" for you to decide.", paused, safe(waiting))
		s.Hint = "filmspool queue list --state " + firstNeed(s.Counts)
		if len(s.Waves) > 0 {
			s.Hint = "filmspool queue release --reason wave; or, where nobody has watched that: filmspool queue drop --reason wave"
		}
		return true
	}
	broken := slices.IndexFunc(s.Sources, func(src Source) bool { return src.State == account.Attention && src.Waiting == 0 })
	if broken >= 0 {
		src := s.Sources[broken]
		s.Summary, s.Hint = sentences(fmt.Sprintf("%s needs you: %s", src.Name, sentence(src.Detail)), paused), src.Hint
		return true
	}
	words, hint := inBrowsers(s.Sources)
	if words == "" {
		return false
	}
	s.Summary, s.Hint = sentences(words, paused), hint
	return true
}

// sentences joins those that are not empty.
func sentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " ")
}

// sentence ends text with one full stop, unless it is a question.
func sentence(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return strings.TrimSuffix(text, ".") + "."
}

// safe says that what waits is not lost. It says nothing when nothing waits.
func safe(waiting int64) string {
	if waiting == 0 {
		return ""
	}
	return viewings(waiting, "is safe here and will be sent", "are safe here and will be sent") + "."
}

// firstNeed is the state of entries that a person should look at first.
func firstNeed(c entry.Counts) string {
	switch {
	case c.InDoubt > 0:
		return string(viewing.StateInDoubt)
	case c.Rejected > 0:
		return string(viewing.StateRejected)
	default:
		return string(viewing.StateHeld)
	}
}

// viewings counts entries in words.
func viewings(n int64, one, many string) string {
	if n == 1 {
		return "1 entry " + one
	}
	return fmt.Sprintf("%d entries %s", n, many)
}

// PutFirst puts what keeps the queue from being written before everything else.
func (s *Status) PutFirst(t *disk.Trouble, folder string) {
	s.Storage = &Storage{Reason: t.Text() + ".", Since: t.Since.UTC(), Refused: t.Refused}
	s.State, s.Hint = account.Attention, t.Hint(folder)
	since := t.Since.Local().Format("2006-01-02 15:04")
	refused := "No event had to be refused since " + since + "."
	switch {
	case t.Refused == 1:
		refused = "1 event was refused since " + since + "; its source was told to send it again."
	case t.Refused > 1:
		refused = fmt.Sprintf("%d events were refused since %s; their sources were told to send them again.", t.Refused, since)
	}
	s.Summary = fmt.Sprintf("%s %s %s", s.Storage.Reason, refused, safe(s.Counts.Pending+s.Counts.Sending))
}

// inBrowsers is one sentence and one hint about what waits in browsers for a
// person; "" when nothing does.
func inBrowsers(sources []Source) (words, hint string) {
	viewings, browsers := 0, 0
	for _, s := range sources {
		if s.Waiting > 0 {
			viewings, browsers = viewings+s.Waiting, browsers+1
			words, hint = sentence(viewingsWait(s.Waiting, "the browser "+s.Detail)), s.Hint
		}
	}
	if browsers > 1 {
		words = sentence(viewingsWait(viewings, fmt.Sprintf("%d browsers", browsers)))
		hint = "click Filmspool's button in each of them, and answer there"
	}
	return words, hint
}

func viewingsWait(n int, where string) string {
	if n == 1 {
		return "1 viewing waits in " + where + " for your answer"
	}
	return fmt.Sprintf("%d viewings wait in %s for your answer", n, where)
}
