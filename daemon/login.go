package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Login implements [control.API]: it proves the key with the service,
// without recording anything, keeps it, and hands it to the running loop.
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
		return control.LoginResult{}, &control.Fault{Code: control.CodeInvalid, Message: words.Plain(err), Hint: keyHint(next), Reason: control.ReasonKey}
	}
	check := client.CheckKey(ctx)
	if err := d.judge(ctx, next, check); err != nil {
		client.Close()
		return control.LoginResult{}, err
	}
	next.UserID, next.UserName = check.UserID, check.UserName
	err = d.keys.Save(next)
	if err == nil {
		_, err = d.moveTo(ctx, next)
	}
	if err == nil {
		err = d.store.UpdateAccount(ctx, next.Account, func(a *account.Row) { a.SignIn(check.UserID) })
	}
	if err != nil {
		client.Close()
		return control.LoginResult{}, err
	}
	if a := d.account(l.Account); a != nil {
		a.use(next, client)
	} else {
		client.Close()
	}
	return control.LoginResult{
		Account: next.Account, BaseURL: next.BaseURL, User: next.UserName, Proven: check.Proven, Note: words.Plain(check.Note),
	}, nil
}

// credentialFor is what a login would keep. It refuses one that a stronger
// source of key or address would overrule at once.
func (d *core) credentialFor(l control.Login) (config.Credential, error) {
	set, ok := d.o.Config.Accounts[l.Account]
	if !ok {
		f := &control.Fault{
			Code: control.CodeInvalid, Message: fmt.Sprintf("there is no account %q", l.Account),
			Hint: fmt.Sprintf("add [accounts.%s] to %s", l.Account, d.o.Paths.File),
		}
		if l.Account == viewing.DefaultAccount {
			f.Hint = "filmspool login --account NAME, with one of: " + strings.Join(d.accountNames(), ", ")
		}
		return config.Credential{}, f
	}
	now, err := d.keys.Find(l.Account, set, d.o.Paths.File)
	if err != nil {
		return now, err
	}
	base, err := addressOf(l)
	if err != nil {
		return now, err
	}
	switch {
	case now.KeySource == "systemd credential":
		return now, control.Refused("the key of account "+l.Account+" comes from a systemd credential, which wins over a login", "change the credential and restart the service")
	case set.BaseURL != "" && base != "" && base != set.BaseURL:
		return now, control.Refused("the address of account "+l.Account+" is set in "+d.o.Paths.File+" ("+set.BaseURL+"), which wins over a login", "leave --base-url out, or change the file")
	case base == "" && now.BaseURL == "":
		return now, &control.Fault{Code: control.CodeInvalid, Message: "no service is known for account " + l.Account, Hint: loginAgain(l.Account, "https://…/api/v1")}
	case base == "":
		base = now.BaseURL
	}
	next := config.Credential{
		Account: l.Account, BaseURL: base, KeyHeader: set.KeyHeader, Key: config.NewSecret(l.Key),
		KeySource: "key file", URLSource: "login", ProvenFor: config.OriginOf(base),
	}
	if base == now.BaseURL { // elsewhere users have other ids
		next.UserID, next.UserName = now.UserID, now.UserName
	}
	return next, nil
}

// addressOf is the address that a login names, "" for none, with /api/v1 where
// only its host was given.
func addressOf(l control.Login) (string, error) {
	if l.BaseURL == "" {
		return "", nil
	}
	base, err := tracker.ParseBaseURL(tracker.WholeAddress(l.BaseURL))
	if err == nil {
		return base.String(), nil
	}
	f := &control.Fault{Code: control.CodeInvalid, Message: words.Plain(err), Hint: loginAgain(l.Account, "https://tracker.example/api/v1"), Reason: control.ReasonAddress}
	if whole := tracker.SuggestAddress(l.BaseURL); whole != "" {
		f.Hint = "did you mean: " + loginAgain(l.Account, whole)
	}
	return "", f
}

// loginAgain is the command that gives an account's key for an address.
func loginAgain(account, base string) string {
	text := "filmspool login --base-url " + base
	if account != viewing.DefaultAccount {
		text += " --account " + account
	}
	return text
}

// keyHint is what to do about a key that is no good.
func keyHint(next config.Credential) string {
	return "make a secret key (sk_) at the service, and give it: " + loginAgain(next.Account, next.BaseURL)
}

// loginHint is what to do when the service could not be shown a key, or refused it.
func loginHint(next config.Credential, v tracker.Verdict) string {
	again := loginAgain(next.Account, next.BaseURL)
	rest, secure := strings.CutPrefix(next.BaseURL, "https://")
	switch {
	case v.Fate == tracker.Refused && v.Code != "":
		return keyHint(next)
	case v.Fate == tracker.Unproven:
		return "look the address up in the service's own pages; then: " + loginAgain(next.Account, "https://tracker.example/api/v1")
	case v.Hint.Code == tracker.HintProxy:
		return words.Plain(v.Hint) + "; then: " + again
	case v.Hint.Code != "" && secure && onLoopback(rest):
		return "on this machine it may be http: " + loginAgain(next.Account, "http://"+rest)
	case v.Fate == tracker.Refused:
		return "ask who runs the network or the proxy; then: " + again
	case v.Hint.Code != "":
		return "look whether the address and this machine's clock are right; then: " + again
	default:
		return "when it can be reached: " + again
	}
}

// loginReason is in one word why the service was not shown a key, or refused it.
func loginReason(v tracker.Verdict) string {
	switch {
	case v.Fate == tracker.Refused && v.Code != "":
		return control.ReasonKey
	case v.Fate == tracker.Unproven:
		return control.ReasonAddress
	default:
		return control.ReasonAway
	}
}

// onLoopback reports whether an address without its scheme is on this machine.
func onLoopback(rest string) bool {
	_, err := tracker.ParseBaseURL("http://" + rest)
	return err == nil
}

// judge refuses a key that the service refuses, one that could not be shown
// to it, and one of somebody else than the last while anything of that one waits.
func (d *core) judge(ctx context.Context, next config.Credential, check tracker.KeyCheck) error {
	switch check.Verdict.Fate {
	case tracker.Delivered, tracker.Rejected:
	default:
		return &control.Fault{
			Code: control.CodeRefused, Message: words.Plain(check.Verdict.Problem), Hint: loginHint(next, check.Verdict), Reason: loginReason(check.Verdict),
		}
	}
	was, found, err := d.anothers(ctx, next, check.UserID)
	if err != nil || !found {
		return err
	}
	name := ""
	if was == next.UserID {
		name = next.UserName
	}
	return control.Refused(
		"this key belongs to "+person(check.UserName, check.UserID)+", but what waits here was watched by "+person(name, was),
		"to keep both: add an account to the configuration and use filmspool login --account NAME; "+
			"or withdraw what waits: filmspool queue drop --all --yes --account "+next.Account)
}

// loginTMDB proves a token with TMDB, keeps it, and has TMDB asked with it.
func (d *core) loginTMDB(ctx context.Context, l control.Login) (control.LoginResult, error) {
	base := d.o.Config.Resolve.TMDB.BaseURL
	result := control.LoginResult{Account: "TMDB", BaseURL: base, Proven: true}
	if l.DryRun {
		return result, nil
	}
	const where = "https://www.themoviedb.org/settings/api shows it; then: filmspool login --tmdb"
	if err := tmdb.CheckToken(l.Key); err != nil {
		return result, &control.Fault{Code: control.CodeInvalid, Message: err.Error(), Hint: where}
	}
	client, err := tmdb.New(base, l.Key)
	if err != nil {
		return result, err
	}
	if _, handed, err := d.keys.TMDB(); err != nil || handed {
		return result, control.Refused("the token for TMDB comes from a systemd credential, which wins over a login", "change the credential and restart the service")
	}
	var later *resolve.LaterError
	switch err := client.Prove(ctx); {
	case errors.Is(err, tmdb.ErrToken):
		return result, control.Refused(err.Error(), where)
	case errors.As(err, &later):
		why := viewing.Say("asked.cannot", "name", later.Who, "reason", d.catalogue.In(words.English).Message(later.Why))
		return result, control.Refused(d.catalogue.In(words.English).Message(why), "when it can be reached: filmspool login --tmdb")
	case err != nil:
		return result, err
	}
	if err := d.keys.SaveTMDB(config.NewSecret(l.Key)); err != nil {
		return result, err
	}
	if !d.o.Config.Resolve.TMDB.Enabled {
		result.Note = fmt.Sprintf("TMDB is not asked yet. Set enabled = true under [resolve.tmdb] in %s, and restart Filmspool.", d.o.Paths.File)
		return result, nil
	}
	d.identifier.UseTMDB(client)
	d.askAnew(ctx)
	return result, nil
}
