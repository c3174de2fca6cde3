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
func (d *core) ImportKodi(ctx context.Context, o control.KodiImport) (control.KodiImported, error) {
	defer d.working()()
	i := kodiImport{past: newPast(d), o: o, libraries: d.libraries}
	i.out = control.KodiImported{DryRun: o.DryRun, Libraries: []kodi.Preview{}}
	if o.NFO != "" {
		i.libraries = []*kodi.Importer{kodi.NewNFO(kodi.Options{
			Userdata: o.NFO, Logger: d.log.With("part", "kodi"), Sink: d.store, Account: kodiAccount{d, settingsOf(d.o.Config)},
		})}
	}
	for _, k := range i.libraries {
		for _, name := range d.store.AccountsOf(k.Source()) {
			i.consult(ctx, name)
		}
	}
	i.out.Services = i.services
	if o.DryRun || !o.Yes {
		if err := i.each(ctx, (*kodi.Importer).Preview); err != nil || o.DryRun {
			return i.out, err
		}
	}
	if unread := i.unread(); i.out.NeedsYes && !o.Yes {
		return i.out, control.Refused(viewing.Say("fault.importDoubles").Because(viewing.Say("fault.accountWhy", "name", unread[0].Account).Because(unread[0].Reason)), viewing.Say("hint.importAnyway"))
	}
	return i.out, i.each(ctx, (*kodi.Importer).Import)
}

// kodiImport is one import of all libraries or of NFO files, or its preview.
type kodiImport struct {
	*past
	o         control.KodiImport
	libraries []*kodi.Importer
	out       control.KodiImported
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

// consult reads what the account's service has, once. An account that never had a service
// has nothing there.
func (p *past) consult(ctx context.Context, account string) {
	if _, asked := p.known[account]; asked {
		return
	}
	if c, err := p.d.keys.Find(account, p.d.o.Config.Accounts[account], p.d.o.Paths.File); err == nil && c.BaseURL == "" {
		p.known[account] = &replay.History{}
		return
	}
	history, err := p.d.history(ctx, account)
	p.known[account] = history
	s := control.KodiService{Account: account, Readable: err == nil}
	if err != nil {
		s.Reason = whyUnread(err)
	}
	p.services = append(p.services, s)
}

// unread are the services that cannot be asked.
func (p *past) unread() []control.KodiService {
	return slices.DeleteFunc(slices.Clone(p.services), func(s control.KodiService) bool { return s.Readable })
}

// history reads all that an account's service has.
func (d *core) history(ctx context.Context, account string) (*replay.History, error) {
	service, done, err := d.serviceOf(ctx, account)
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

// each does the same with every library, and adds up what comes of it. The
// error is one of our own disk, or the context's.
func (i *kodiImport) each(ctx context.Context, do func(*kodi.Importer, context.Context, rule.PlanOptions) (kodi.Preview, error)) error {
	i.out.Libraries = i.out.Libraries[:0]
	i.out.NeedsYes = false
	sends, planned := 0, map[string]map[string][]viewing.Instant{}
	for _, k := range i.libraries {
		o := rule.PlanOptions{Since: i.o.Since}
		accounts := i.d.store.AccountsOf(k.Source())
		all := strings.Join(accounts, " ")
		if planned[all] == nil {
			planned[all] = map[string][]viewing.Instant{}
		}
		o.Planned = planned[all]
		var unread bool
		o.Has, unread = i.has(accounts)
		p, err := do(k, ctx, o)
		if err != nil && p.Problem.Code == "" {
			return err
		}
		i.out.Libraries = append(i.out.Libraries, p)
		i.out.NeedsYes = i.out.NeedsYes || unread && p.Sends() > 0
		sends += p.Sends() * len(accounts)
	}
	i.out.SendSeconds = i.d.toSend(sends)
	return nil
}

// toSend is how many seconds imports take to leave.
func (d *core) toSend(entries int) int64 {
	r := d.o.Config.Replay
	rates := slices.DeleteFunc([]float64{r.Rate, r.BackfillRate}, func(rate float64) bool { return rate == 0 })
	if len(rates) == 0 {
		return 0
	}
	return int64(float64(entries) / slices.Min(rates))
}

// has tells what the services of all these accounts have; nil where that is not
// known. What one of them alone has is found there before it is sent.
func (p *past) has(accounts []string) (has func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool, unread bool) {
	histories := make([]*replay.History, len(accounts))
	for n, name := range accounts {
		if histories[n] = p.known[name]; histories[n] == nil {
			return nil, true
		}
	}
	return func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
		return !slices.ContainsFunc(histories, func(h *replay.History) bool { return !h.Has(m, at, runtime) })
	}, false
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
