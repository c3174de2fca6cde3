package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// historyTime is how long a service may take to show its history.
const historyTime = 3 * time.Minute

// ImportKodi implements [control.API].
func (d *core) ImportKodi(ctx context.Context, o control.KodiImport) (out control.KodiImported, err error) {
	defer d.startJob()()
	out.DryRun = o.DryRun
	libraries, past := d.libraries, newPast(d)
	if o.NFO != "" {
		libraries = []*kodi.Importer{kodi.NewNFO(kodi.Options{
			Userdata: o.NFO, Logger: d.log.With("part", "kodi"), Sink: d.store, Account: kodiAccount{d, ruleSettings(d.o.Config)},
		})}
	}
	// each does the same with every library, and adds up what comes of it. Its error is one of
	// our own disk, or the context's.
	each := func(do func(*kodi.Importer, context.Context, rule.PlanOptions) (kodi.Preview, error)) error {
		out.Libraries, out.NeedsYes = []kodi.Preview{}, false
		sends, planned := 0, map[string]map[string][]viewing.Instant{}
		for _, k := range libraries {
			accounts := d.store.AccountsOf(k.Source())
			all := strings.Join(accounts, " ")
			if planned[all] == nil {
				planned[all] = map[string][]viewing.Instant{}
			}
			has := past.of(ctx, accounts)
			p, err := do(k, ctx, rule.PlanOptions{Since: o.Since, Planned: planned[all], Has: has})
			if err != nil && p.Problem.Code == "" {
				return err
			}
			out.Libraries = append(out.Libraries, p)
			out.NeedsYes = out.NeedsYes || has == nil && p.Sends() > 0
			sends += p.Sends() * len(accounts)
		}
		out.Services, out.SendSeconds = past.services, d.toSend(sends)
		return nil
	}
	if o.DryRun || !o.Yes {
		if err := each((*kodi.Importer).Preview); err != nil || o.DryRun {
			return out, err
		}
	}
	if unread := past.unread(); out.NeedsYes && !o.Yes {
		why := viewing.Say("fault.accountWhy", "name", unread[0].Account).Because(unread[0].Reason)
		return out, control.Refused(viewing.Say("fault.importDoubles").Because(why), viewing.Say("hint.importAnyway"))
	}
	return out, each((*kodi.Importer).Import)
}

// past is what the services of accounts have, each read once.
type past struct {
	d        *core
	known    map[string]*replay.History // by account; nil: cannot be asked
	services []control.KodiService
}

func newPast(d *core) *past {
	return &past{d: d, known: map[string]*replay.History{}, services: []control.KodiService{}}
}

// of tells whether the services of all these accounts have a viewing; nil where that is not
// known. What one of them alone has is found there before it is sent.
func (p *past) of(ctx context.Context, accounts []string) func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
	histories := make([]*replay.History, len(accounts))
	for n, name := range accounts {
		histories[n] = p.read(ctx, name)
	}
	if slices.Contains(histories, nil) {
		return nil
	}
	return func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
		return !slices.ContainsFunc(histories, func(h *replay.History) bool { return !h.Has(m, at, runtime) })
	}
}

// read reads what the account's service has; nil where that cannot be asked. An account that
// never had a service has nothing there.
func (p *past) read(ctx context.Context, account string) *replay.History {
	if history, asked := p.known[account]; asked {
		return history
	}
	if !p.d.hasService(account) {
		p.known[account] = &replay.History{}
		return p.known[account]
	}
	history, err := p.d.history(ctx, account)
	s := control.KodiService{Account: account, Readable: err == nil}
	if err != nil {
		s.Reason = whyUnread(err)
	}
	p.known[account], p.services = history, append(p.services, s)
	return history
}

// unread are the services that cannot be asked.
func (p *past) unread() []control.KodiService {
	return slices.DeleteFunc(slices.Clone(p.services), func(s control.KodiService) bool { return s.Readable })
}

// history reads all that an account's service has.
func (d *core) history(ctx context.Context, account string) (*replay.History, error) {
	service, done, err := d.serviceClient(ctx, account)
	if err != nil {
		return nil, err
	}
	defer done()
	row, err := d.store.Account(ctx, account)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	return replay.ReadHistory(ctx, service, row.Keeps)
}

// whyUnread says for a person why a history was not read.
func whyUnread(err error) viewing.Message {
	if errors.Is(err, tracker.ErrNoEndpoint) {
		return viewing.Say("history.hidden")
	}
	if v, ok := tracker.VerdictOf(err); ok {
		return v.Problem
	}
	return viewing.MessagesOf(err)[0]
}

// hasService reports whether an account was ever connected to a service.
func (d *core) hasService(account string) bool {
	c, err := d.keys.Find(account, d.o.Config.Accounts[account], d.o.Paths.File)
	return err != nil || c.BaseURL != ""
}

// toSend is how many seconds imports take to leave; 0 where there is no service.
func (d *core) toSend(entries int) int64 {
	r := d.o.Config.Replay
	rates := slices.DeleteFunc([]float64{r.Rate, r.BackfillRate}, func(rate float64) bool { return rate == 0 })
	if len(rates) == 0 || !slices.ContainsFunc(d.accountNames(), d.hasService) {
		return 0
	}
	return int64(float64(entries) / slices.Min(rates))
}

// KodiProgress implements [control.API].
func (d *core) KodiProgress(context.Context) ([]control.KodiProgress, error) {
	all := []control.KodiProgress{}
	for _, k := range d.libraries {
		s := k.Status()
		if s.Import.Total > 0 {
			all = append(all, control.KodiProgress{
				Userdata: s.Userdata, Running: s.Importing, Done: s.Import.Done, Total: s.Import.Total, StartedAt: time.UnixMilli(s.Import.At).UTC(),
			})
		}
	}
	return all, nil
}
