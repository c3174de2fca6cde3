package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sender is the sending loop of one account, with its current connection.
type sender struct {
	loop *replay.Loop
	conn atomic.Pointer[connection]
}

// connection is an account's credential with the client that uses it.
type connection struct {
	credential config.Credential
	client     *tracker.Client // nil if the key or the address is missing
	problem    viewing.Message // why there is no client
}

// accountNames returns the configured account names, sorted.
func (d *core) accountNames() []string { return slices.Sorted(maps.Keys(d.o.Config.Accounts)) }

// openAccount creates the sending loop of one account, with a client if the key and the address
// are known.
func (d *core) openAccount(ctx context.Context, name string) (*sender, error) {
	c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
	if err != nil {
		return nil, err
	}
	l := d.connect(ctx, c)
	o := replay.Options{
		Account: name, Outbox: d.store, Service: l.client, InDoubt: doubt.Setting(d.o.Config.InDoubt), Idempotent: d.o.Config.Accounts[name].Idempotency,
		Rate: d.o.Config.Replay.Rate, BackfillRate: d.o.Config.Replay.BackfillRate,
		Logger: d.log.With("part", "replay", "account", name), InstallationID: d.store.InstallationID(),
	}
	if len(d.providers) > 0 {
		o.Providers = d.chain
	}
	if d.o.Loop != nil {
		d.o.Loop(&o)
	}
	a := &sender{loop: replay.New(o)}
	a.conn.Store(l)
	a.loop.Wake() // the user may have corrected the key or address: try at once
	return a, nil
}

// connect creates a client for a credential, or sets the reason why it cannot.
func (d *core) connect(ctx context.Context, c config.Credential) *connection {
	l := &connection{credential: c, problem: missingCredential(c)}
	if l.problem.Code != "" {
		return l
	}
	proven, err := d.recordAddress(ctx, c)
	if err == nil {
		l.client, err = tracker.New(tracker.Options{
			BaseURL: c.BaseURL, Key: c.Key.Reveal(), KeyHeader: c.KeyHeader, Proven: proven, UserAgent: "filmspool/" + d.o.Version,
		})
	}
	if err != nil {
		l.problem = viewing.MessagesOf(err)[0]
	}
	return l
}

// missingCredential returns a message if the key or the address is missing, else the zero
// message.
func missingCredential(c config.Credential) viewing.Message {
	switch {
	case c.BaseURL == "":
		return viewing.Say("noService")
	case c.Key.IsZero():
		return c.KeyProblem
	default:
		return viewing.Message{}
	}
}

// recordAddress stores the account's address and reports whether this address has answered like
// the service before. A new address clears what was learned about the old one.
func (d *core) recordAddress(ctx context.Context, c config.Credential) (proven bool, err error) {
	stored, err := d.store.Account(ctx, c.Account)
	if err != nil || stored.BaseURL == c.BaseURL {
		return stored.Proven, err
	}
	return false, d.store.UpdateAccount(ctx, c.Account, func(a *account.Row) { a.MoveTo(c.BaseURL, time.Now()) })
}

// setCredential gives the account a new key or address. The loop uses it at once.
func (a *sender) setCredential(c config.Credential, client *tracker.Client) {
	old := a.conn.Swap(&connection{credential: c, client: client})
	a.loop.SetService(client)
	old.close()
}

// close closes the client's idle connections.
func (l *connection) close() {
	if l.client != nil {
		l.client.Close()
	}
}

// clockProblem returns a problem if this machine's clock and the service's differ by more than
// maxClockDifference, else nil.
func (l *connection) clockProblem() *control.Problem {
	if l.client == nil || l.client.ClockAhead().Abs() <= maxClockDifference {
		return nil
	}
	off := l.client.ClockAhead().Round(time.Minute)
	span := viewing.Verbatim(fmt.Sprintf("%d min", off.Abs()/time.Minute))
	return &control.Problem{Code: health.ClockWrong, About: l.credential.Account, What: &span}
}

// maxClockDifference is the tolerated difference of two clocks. A viewing further in the future
// is held.
const maxClockDifference = 5 * time.Minute

// wake makes every account's loop try again at once.
func (d *core) wake() {
	for _, a := range d.accounts {
		a.loop.Wake()
	}
}

// serviceClient returns a client of an account's service, and a function that the caller must
// call after use.
func (d *core) serviceClient(ctx context.Context, name string) (*tracker.Client, func(), error) {
	var l *connection
	done := func() {}
	if a := d.accounts[name]; a != nil {
		l = a.conn.Load()
	} else {
		c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
		if err != nil {
			return nil, nil, err
		}
		l = d.connect(ctx, c)
		done = l.close
	}
	if l.client == nil {
		return nil, nil, control.Refused(viewing.Say("fault.cannotAsk", "name", name).Because(l.problem), loginCommand(name, ""))
	}
	return l.client, done, nil
}

// Login implements [control.API]: it checks the key with the service, without recording anything,
// stores it and passes it to the running loop.
func (d *core) Login(ctx context.Context, l control.Login) (control.LoginResult, error) {
	if l.TMDB {
		return d.loginTMDB(ctx, l)
	}
	next, err := d.credentialFor(l)
	if err != nil || l.DryRun {
		return control.LoginResult{Account: next.Account, BaseURL: next.BaseURL}, err
	}
	client, err := tracker.New(tracker.Options{
		BaseURL: next.BaseURL, Key: next.Key.Reveal(), KeyHeader: next.KeyHeader, UserAgent: "filmspool/" + d.o.Version,
	})
	if err != nil {
		return control.LoginResult{}, &control.Fault{Code: control.CodeInvalid, Message: viewing.MessagesOf(err)[0], Hint: keyHint(next), Reason: control.ReasonKey}
	}
	check := client.CheckKey(ctx)
	if err = d.validateKey(ctx, next, check); err == nil {
		next.UserID, next.UserName = check.UserID, check.UserName
		err = d.keys.Save(next)
	}
	if err == nil {
		_, err = d.recordAddress(ctx, next)
	}
	if err == nil {
		err = d.store.UpdateAccount(ctx, next.Account, func(a *account.Row) { a.SignIn(check.UserID) })
	}
	if a := d.accounts[l.Account]; err == nil && a != nil {
		a.setCredential(next, client)
	} else {
		client.Close()
	}
	if err != nil {
		return control.LoginResult{}, err
	}
	return control.LoginResult{
		Account: next.Account, BaseURL: next.BaseURL, User: next.UserName, Proven: check.Proven, Note: check.Note,
	}, nil
}

// credentialFor returns the credential that a login would store. It refuses one that a setting
// with precedence would override.
func (d *core) credentialFor(l control.Login) (config.Credential, error) {
	set, ok := d.o.Config.Accounts[l.Account]
	if !ok {
		f := control.Invalid(viewing.Say("fault.noAccount", "name", l.Account), viewing.Say("hint.addAccount", "name", l.Account, "file", d.o.Paths.File))
		if l.Account == viewing.DefaultAccount {
			f.Hint = viewing.Say("hint.whichAccount", "names", strings.Join(d.accountNames(), ", "))
		}
		return config.Credential{}, f
	}
	now, err := d.keys.Find(l.Account, set, d.o.Paths.File)
	if err != nil {
		return now, err
	}
	base, err := loginAddress(l)
	if err != nil {
		return now, err
	}
	switch {
	case now.KeySource == "systemd credential":
		return now, control.Refused(viewing.Say("fault.keyCredential", "name", l.Account), viewing.Say("hint.credential"))
	case set.BaseURL != "" && base != "" && base != set.BaseURL:
		return now, control.Refused(viewing.Say("fault.addressSet", "name", l.Account, "file", d.o.Paths.File, "url", set.BaseURL), viewing.Say("hint.leaveAddress"))
	case base == "" && now.BaseURL == "":
		return now, control.Invalid(viewing.Say("fault.noService", "name", l.Account), loginCommand(l.Account, "https://…/api/v1"))
	case base == "":
		base = now.BaseURL
	}
	next := config.Credential{
		Account: l.Account, BaseURL: base, KeyHeader: set.KeyHeader, Key: config.NewSecret(l.Key),
		KeySource: "key file", URLSource: "login", ProvenFor: config.OriginOf(base),
	}
	if base == now.BaseURL { // another service has other user ids
		next.UserID, next.UserName = now.UserID, now.UserName
	}
	return next, nil
}

// loginAddress returns the address given to a login, completed if it is not a full URL, or "" if
// none was given.
func loginAddress(l control.Login) (string, error) {
	if l.BaseURL == "" {
		return "", nil
	}
	base, err := tracker.ParseBaseURL(l.BaseURL)
	if err == nil {
		return base.String(), nil
	}
	if whole := tracker.SuggestAddress(l.BaseURL); whole != "" {
		return whole, nil
	}
	return "", &control.Fault{Code: control.CodeInvalid, Message: viewing.MessagesOf(err)[0], Hint: loginCommand(l.Account, "https://tracker.example/api/v1"), Reason: control.ReasonAddress}
}

// loginCommandText returns the command that logs an account in at an address.
func loginCommandText(account, base string) string {
	text := "filmspool login"
	if base != "" {
		text += " --base-url " + base
	}
	if account != viewing.DefaultAccount {
		text += " --account " + account
	}
	return text
}

// loginCommand returns that command as a hint.
func loginCommand(account, base string) viewing.Message {
	return control.Command("%s", loginCommandText(account, base))
}

// keyHint explains how to create a key and enter it.
func keyHint(next config.Credential) viewing.Message {
	return viewing.Say("hint.makeKey", "command", loginCommandText(next.Account, next.BaseURL))
}

// loginRefusal returns the error of a refused login: the reason, the remedy and the command for
// the next attempt.
func loginRefusal(next config.Credential, v tracker.Verdict) error {
	again := loginCommandText(next.Account, next.BaseURL)
	f := &control.Fault{Code: control.CodeRefused, Message: v.Problem, Reason: control.ReasonAway, Hint: viewing.Say("hint.whenReached", "command", again)}
	switch {
	case v.Outcome == tracker.Refused && v.Code != "":
		f.Reason, f.Hint = control.ReasonKey, keyHint(next)
	case v.Outcome == tracker.Unproven:
		f.Reason, f.Hint = control.ReasonAddress, viewing.Say("hint.lookUpAddress", "command", loginCommandText(next.Account, "https://tracker.example/api/v1"))
	case v.Hint.Code == tracker.HintProxy:
		f.Hint = v.Hint
	case v.Outcome == tracker.Offline && v.Hint.Code != "":
		f.Hint = viewing.Say("hint.lookClock", "command", again)
	}
	return f
}

// validateKey returns an error if the service refused the key or could not be reached, or if the
// key belongs to another user than the last one while entries are still waiting.
func (d *core) validateKey(ctx context.Context, next config.Credential, check tracker.KeyCheck) error {
	switch check.Verdict.Outcome {
	case tracker.Delivered, tracker.Rejected:
	default:
		return loginRefusal(next, check.Verdict)
	}
	owner, changed, err := d.ownerChanged(ctx, next, check.UserID)
	if err != nil || !changed {
		return err
	}
	name := ""
	if owner == next.UserID {
		name = next.UserName
	}
	return control.Refused(
		viewing.Say("fault.keyBelongs", "user", userText(check.UserName, check.UserID), "owner", userText(name, owner)),
		viewing.Say("hint.keepBoth", "name", next.Account))
}

// ownerChanged reports whether the key belongs to another user than the account's last key while
// entries are still waiting for the last user, and returns the id of that user.
func (d *core) ownerChanged(ctx context.Context, next config.Credential, user string) (owner string, changed bool, err error) {
	stored, err := d.store.Account(ctx, next.Account)
	if err != nil {
		return "", false, err
	}
	stored.MoveTo(next.BaseURL, time.Now())
	stored.ClaimOwner(next.UserID)
	if owner = stored.Owner; stored.ClaimOwner(user) {
		return owner, false, nil
	}
	for _, state := range []viewing.State{viewing.StateHeld, viewing.StateInDoubt, viewing.StateSending, viewing.StatePending} {
		waiting, err := d.store.Entries(ctx, entry.Filter{State: state, Account: next.Account, Limit: 1})
		if err != nil || len(waiting) > 0 {
			return owner, true, err
		}
	}
	return owner, false, nil
}

// userText names a user of the service with the id, because two users may have the same name.
func userText(name, id string) string {
	if name == "" {
		return "user " + id
	}
	return name + " (user " + id + ")"
}

// loginTMDB checks a token with TMDB, stores it and uses it from now on.
func (d *core) loginTMDB(ctx context.Context, l control.Login) (control.LoginResult, error) {
	base := d.o.Config.Resolve.TMDB.BaseURL
	result := control.LoginResult{Account: "TMDB", BaseURL: base, Proven: true}
	if l.DryRun {
		return result, nil
	}
	where := viewing.Say("hint.tmdbToken")
	if err := tmdb.CheckToken(l.Key); err != nil {
		return result, control.Invalid(viewing.MessagesOf(err)[0], where)
	}
	client, err := tmdb.New(base, l.Key)
	if err != nil {
		return result, err
	}
	if _, fromSystemd, err := d.keys.TMDB(); err != nil || fromSystemd {
		return result, control.Refused(viewing.Say("fault.tokenCredential"), viewing.Say("hint.credential"))
	}
	var later *resolve.UnavailableError
	switch err := client.VerifyToken(ctx); {
	case errors.Is(err, tmdb.ErrToken):
		return result, control.Refused(viewing.MessagesOf(err)[0], where)
	case errors.As(err, &later):
		return result, control.Refused(viewing.Say("asked.cannot", "name", later.Provider).Because(later.Why), viewing.Say("hint.whenReached", "command", "filmspool login --tmdb"))
	case err != nil:
		return result, err
	}
	if err := d.keys.SaveTMDB(config.NewSecret(l.Key)); err != nil {
		return result, err
	}
	if !d.o.Config.Resolve.TMDB.Enabled {
		result.Note = viewing.Say("tmdbOff", "file", d.o.Paths.File)
		return result, nil
	}
	for _, p := range d.providers {
		if p.name == "TMDB" && d.answers != nil {
			d.useProvider(p, client)
		}
	}
	d.resolveAgain(ctx)
	return result, nil
}
