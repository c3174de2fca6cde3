package daemon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Status implements [control.API].
func (c *api) Status(ctx context.Context) (control.Status, error) {
	s, err := c.d.status(ctx)
	if err != nil || len(s.Accounts) < 2 {
		return s, err
	}
	counts, err := c.d.store.CountsOf(ctx)
	for i, a := range s.Accounts {
		one := counts[a.Name]
		s.Accounts[i].Counts = &one
	}
	return s, err
}

// status is how things stand, at the same cost whatever waits.
func (d *Daemon) status(ctx context.Context) (control.Status, error) {
	d.store.Look()
	counts, err := d.store.Counts(ctx)
	if err != nil {
		return control.Status{}, err
	}
	waves, err := d.store.Waves(ctx)
	if err != nil {
		return control.Status{}, err
	}
	notices, err := d.store.Notices(ctx)
	if err != nil {
		return control.Status{}, err
	}
	s := control.Status{
		Version: d.o.Version, Listen: d.listening(), Counts: counts, Sources: d.sourceStatus(ctx), Waves: waves, Notices: notices,
	}
	if s.Accounts, err = d.standings(ctx); err != nil {
		return s, err
	}
	if t, ok, err := d.store.OldestPending(ctx); err != nil {
		return s, err
	} else if ok {
		s.OldestPendingSeconds = max(0, int64(time.Since(t).Seconds()))
	}
	summarise(&s)
	if t := d.trouble(); t != nil {
		putFirst(&s, t, d.o.Paths.State)
	}
	return s, nil
}

// standings are how the accounts stand: those of the configuration, and those for
// which something waits that are not in it.
func (d *Daemon) standings(ctx context.Context) ([]control.Account, error) {
	list := []control.Account{}
	for _, a := range d.accounts {
		look, err := d.accountStatus(ctx, a)
		if err != nil {
			return list, err
		}
		list = append(list, look)
	}
	if !slices.ContainsFunc(list, func(a control.Account) bool { return !a.Unused }) {
		for i := range list {
			list[i].Unused = false
		}
	}
	names, err := d.store.PendingAccounts(ctx)
	for _, name := range names {
		if d.account(name) == nil {
			list = append(list, control.Account{
				Name: name, State: account.Attention, Reason: "It is not in the configuration, and entries wait for it.",
				Hint: "filmspool queue list --state pending --account " + name + "; then filmspool queue move ID --account NAME",
			})
		}
	}
	return list, err
}

// putFirst puts what keeps the queue from being written before everything else.
func putFirst(s *control.Status, t *disk.Trouble, folder string) {
	s.Storage = &control.Storage{Reason: t.Text() + ".", Since: t.Since.UTC(), Refused: t.Refused}
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

// accountStatus is how one account stands.
func (d *Daemon) accountStatus(ctx context.Context, a *sender) (control.Account, error) {
	kept, err := d.store.Account(ctx, a.name)
	if err != nil {
		return control.Account{}, err
	}
	unresolved, err := d.store.Unresolved(ctx, a.name)
	if err != nil {
		return control.Account{}, err
	}
	credential, problem := a.look()
	out := standing(a.loop.Health(), credential, problem, d.o.Paths.File)
	out.LastDelivered, out.Unresolved = known(kept.LastDelivered), unresolved
	if can, asked := replay.Resolves(kept); asked {
		out.Resolves = &can
	}
	if a.loop.Health().State == account.NoKey {
		waits, err := d.store.Waits(ctx, a.name)
		if out.Unused = !waits; err != nil {
			return out, err
		}
	}
	if s, asked := kept.Support[replay.SupportItems]; asked && !s.Has {
		out.Note = "The service takes no items of lists: lists are created empty."
	}
	return out, nil
}

// standing is how an account stands, in a person's words: by its loop, and by
// the key and the address. problem is why there is no client. A login does not
// help where a stronger source of key or address wins over it.
func standing(h replay.Health, c config.Credential, problem, file string) control.Account {
	out := control.Account{
		Name: c.Account, State: h.State, Reason: h.Reason, Hint: h.Hint, NextTry: known(h.NextTry), PausedUntil: known(h.PausedUntil), Drops: h.Drops, BaseURL: c.BaseURL, User: c.UserName,
	}
	switch {
	case h.State == account.Offline && h.Reason == "":
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
	return out
}

// loginOf is a hint whose login is that of an account.
func loginOf(account, hint string) string {
	if account == viewing.DefaultAccount || strings.Contains(hint, " --account ") {
		return hint
	}
	return strings.Replace(hint, "filmspool login", "filmspool login --account "+account, 1)
}

// summarise puts how things stand into one word, one sentence and one hint:
// the worst thing first.
func summarise(s *control.Status) {
	if needsPerson(s) {
		s.State = account.Attention
		return
	}
	waiting := s.Counts.Pending + s.Counts.Sending
	away, paused := inState(s.Accounts, account.Offline), inState(s.Accounts, account.Paused)
	switch {
	case away >= 0:
		s.State = account.Offline
		s.Summary = sentences(ofOne(s.Accounts, away, "Offline", "is offline")+": "+sentence(s.Accounts[away].Reason), safe(waiting))
	case paused >= 0:
		s.State, s.Hint = account.Paused, s.Accounts[paused].Hint
		s.Summary = sentences(pausedWords(ofOne(s.Accounts, paused, "Paused", "is paused"), s.Accounts[paused]), cmp.Or(safe(waiting), "Nothing waits."))
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

// ofOne says what all accounts are, or what one of them is where another stands
// otherwise.
func ofOne(accounts []control.Account, one int, all, is string) string {
	if !slices.ContainsFunc(accounts, func(a control.Account) bool { return a.State != accounts[one].State }) {
		return all
	}
	return "Account " + accounts[one].Name + " " + is
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

// pausedWords say that an account is paused, until when, and what is dropped.
func pausedWords(says string, a control.Account) string {
	if a.PausedUntil != nil {
		says += " until " + a.PausedUntil.Local().Format("2006-01-02 15:04")
	}
	if a.Drops {
		says += ", and what is watched until then is dropped"
	}
	return says + "."
}

// inState is the first account in a state, or -1.
func inState(accounts []control.Account, state account.State) int {
	return slices.IndexFunc(accounts, func(a control.Account) bool { return a.State == state && !a.Unused })
}

// needsPerson says what needs a person, the worst thing first. It reports
// whether anything does.
func needsPerson(s *control.Status) bool {
	waiting := s.Counts.Pending + s.Counts.Sending
	if len(s.Notices) > 0 {
		s.Summary, s.Hint = s.Notices[0].Text, s.Notices[0].Hint
		return true
	}
	if i := inState(s.Accounts, account.Attention); i >= 0 {
		a := s.Accounts[i]
		on := ""
		if inState(s.Accounts, account.OK) >= 0 {
			on = "What other accounts have goes on."
		}
		s.Summary, s.Hint = sentences(fmt.Sprintf("Account %s needs you: %s", a.Name, sentence(a.Reason)), safe(waiting), on), a.Hint
		return true
	}
	if n := control.NeedUser(s.Counts); n > 0 {
		paused := ""
		if i := inState(s.Accounts, account.Paused); i >= 0 {
			paused = pausedWords("Sending is paused", s.Accounts[i])
		}
		s.Summary = sentences(waveWords(s.Waves), viewings(n, "waits", "wait")+" for you to decide.", paused, safe(waiting))
		s.Hint = "filmspool queue list --state " + firstNeed(s.Counts)
		if len(s.Waves) > 0 {
			s.Hint = "filmspool queue release --reason wave; or, where nobody has watched that: filmspool queue drop --reason wave"
		}
		return true
	}
	broken := slices.IndexFunc(s.Sources, func(src control.Source) bool { return src.State == account.Attention && src.Waiting == 0 })
	if broken >= 0 {
		src := s.Sources[broken]
		s.Summary, s.Hint = fmt.Sprintf("%s needs you: %s", src.Name, sentence(src.Detail)), src.Hint
		return true
	}
	words, hint := inBrowsers(s.Sources)
	if words == "" {
		return false
	}
	s.Summary, s.Hint = words, hint
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

// connectorStatus is what a paired browser may know.
func (d *Daemon) connectorStatus(ctx context.Context) connector.Status {
	s, err := d.status(ctx)
	if err != nil {
		return connector.Status{}
	}
	out := connector.Status{
		Online: true, Pending: s.Counts.Pending + s.Counts.Sending, Attention: control.NeedUser(s.Counts),
	}
	for _, a := range s.Accounts {
		if a.Unused {
			continue
		}
		out.Online = out.Online && a.State == account.OK
		if a.State == account.Attention {
			out.Attention++
		}
		if a.LastDelivered != nil && a.LastDelivered.After(out.LastDelivered) {
			out.LastDelivered = *a.LastDelivered
		}
	}
	return out
}

// onNews calls push once, and then whenever the queue or an account's health
// has changed, until ctx ends.
func (d *Daemon) onNews(ctx context.Context, push func()) {
	changed, stop := d.store.Subscribe()
	defer stop()
	var workers sync.WaitGroup
	defer workers.Wait()
	for _, a := range d.accounts {
		mood, stop := a.loop.Subscribe()
		defer stop()
		workers.Go(func() { pass(ctx, mood, push) })
	}
	push()
	pass(ctx, changed, push)
}

// pass calls push for each nudge until ctx ends.
func pass(ctx context.Context, nudges <-chan struct{}, push func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-nudges:
			push()
		}
	}
}
