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

// historyTimeout limits reading the history of a service.
const historyTimeout = 3 * time.Minute

// ImportKodi implements [control.API].
func (d *core) ImportKodi(ctx context.Context, o control.KodiImport) (out control.KodiImported, err error) {
	defer d.startJob()()
	out.DryRun = o.DryRun
	libraries, histories := d.libraries, newHistories(d)
	if o.NFO != "" {
		libraries = []*kodi.Importer{kodi.NewNFO(kodi.Options{
			Userdata: o.NFO, Logger: d.log.With("part", "kodi"), Sink: d.store, Account: kodiAccount{d, ruleSettings(d.o.Config)},
		})}
	}
	// each calls do with every library and adds up the results. It returns errors of our own disk
	// or of the context only.
	each := func(do func(*kodi.Importer, context.Context, rule.PlanOptions) (kodi.Preview, error)) error {
		out.Libraries, out.NeedsYes = []kodi.Preview{}, false
		sends, planned := 0, map[string]map[string][]viewing.Instant{}
		for _, k := range libraries {
			accounts := d.store.AccountsOf(k.Source())
			all := strings.Join(accounts, " ")
			if planned[all] == nil {
				planned[all] = map[string][]viewing.Instant{}
			}
			has := histories.hasAll(ctx, accounts)
			p, err := do(k, ctx, rule.PlanOptions{Since: o.Since, Planned: planned[all], Has: has})
			if err != nil && p.Problem.Code == "" {
				return err
			}
			out.Libraries = append(out.Libraries, p)
			out.NeedsYes = out.NeedsYes || has == nil && p.Sends() > 0
			sends += p.Sends() * len(accounts)
		}
		out.Services, out.SendSeconds = histories.services, d.sendSeconds(sends)
		return nil
	}
	if o.DryRun || !o.Yes {
		if err := each((*kodi.Importer).Preview); err != nil || o.DryRun {
			return out, err
		}
	}
	if unread := histories.unread(); out.NeedsYes && !o.Yes {
		why := viewing.Say("fault.accountWhy", "name", unread[0].Account).Because(unread[0].Reason)
		return out, control.Refused(viewing.Say("fault.importDoubles").Because(why), viewing.Say("hint.importAnyway"))
	}
	return out, each((*kodi.Importer).Import)
}

// histories contains the histories of accounts at their services. Each is read once.
type histories struct {
	d        *core
	known    map[string]*replay.History // by account; nil if unreadable
	services []control.KodiService
}

func newHistories(d *core) *histories {
	return &histories{d: d, known: map[string]*replay.History{}, services: []control.KodiService{}}
}

// hasAll returns a function that reports whether the services of all these accounts have a
// viewing, or nil if one is unreadable. A viewing that only some of them have is found there
// before it is sent.
func (p *histories) hasAll(ctx context.Context, accounts []string) func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
	all := make([]*replay.History, len(accounts))
	for n, name := range accounts {
		all[n] = p.read(ctx, name)
	}
	if slices.Contains(all, nil) {
		return nil
	}
	return func(m viewing.Media, at viewing.Instant, runtime time.Duration) bool {
		return !slices.ContainsFunc(all, func(h *replay.History) bool { return !h.Has(m, at, runtime) })
	}
}

// read returns the history of an account, or nil if it is unreadable. An account without a
// service has an empty history.
func (p *histories) read(ctx context.Context, account string) *replay.History {
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
		s.Reason = historyProblem(err)
	}
	p.known[account], p.services = history, append(p.services, s)
	return history
}

// unread returns the services whose history is unreadable.
func (p *histories) unread() []control.KodiService {
	return slices.DeleteFunc(slices.Clone(p.services), func(s control.KodiService) bool { return s.Readable })
}

// history reads the complete history of an account.
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
	ctx, cancel := context.WithTimeout(ctx, historyTimeout)
	defer cancel()
	return replay.ReadHistory(ctx, service, row.Keeps)
}

// historyProblem returns the reason why a history could not be read.
func historyProblem(err error) viewing.Message {
	if errors.Is(err, tracker.ErrNoEndpoint) {
		return viewing.Say("history.hidden")
	}
	if v, ok := tracker.VerdictOf(err); ok {
		return v.Problem
	}
	return viewing.MessagesOf(err)[0]
}

// hasService reports whether an account has ever been connected to a service.
func (d *core) hasService(account string) bool {
	c, err := d.keys.Find(account, d.o.Config.Accounts[account], d.o.Paths.File)
	return err != nil || c.BaseURL != ""
}

// sendSeconds returns the approximate time to send imported entries; 0 without a service or a
// rate limit.
func (d *core) sendSeconds(entries int) int64 {
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
