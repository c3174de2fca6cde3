package daemon

import (
	"context"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/identify"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openIdentifier makes what asks others, where the user turned one on.
func (d *Daemon) openIdentifier(ctx context.Context) {
	set := d.o.Config.Resolve
	d.identifier = identify.Open(ctx, identify.Options{
		Wikidata:  identify.Where{On: set.Wikidata.Enabled, Address: set.Wikidata.Endpoint},
		TMDB:      identify.Where{On: set.TMDB.Enabled, Address: set.TMDB.BaseURL},
		Token:     func() (string, error) { token, _, err := d.keys.TMDB(); return token.Reveal(), err },
		Recovered: d.askAnew, State: d.o.Paths.State, Version: d.o.Version, Logger: d.log,
	})
}

// askAnew has everything asked about anew that waits without an identifier.
func (d *Daemon) askAnew(ctx context.Context) {
	for name := range d.o.Config.Accounts {
		if err := d.store.AskAnew(ctx, name); err != nil {
			d.log.Warn("nobody is asked about what they were not asked before", "account", name, "error", err)
		}
	}
}

// Resolve implements [control.API].
func (c *api) Resolve(ctx context.Context, w control.Wanted) (control.Resolution, error) {
	c.openIdentifier(ctx)
	m := w.Media()
	f, err := c.d.find(ctx, viewing.DefaultAccount, m, commandWaits)
	if err != nil {
		return control.Resolution{}, err
	}
	r := control.ResolutionOf(f.others)
	switch {
	case f.said != nil:
		r.By, r.Why, r.Correction = "correction", f.said.Said(), f.said
	case f.service.Media != nil:
		r.By, r.Why = "service", "The service is sure."
	case f.missed != nil:
		r.Why += " " + strings.TrimSuffix(f.missed.Error(), ".") + "."
	}
	if len(r.Candidates) == 0 && len(f.service.Suggestions) > 0 && f.item(m) == nil {
		r.By, r.Why = "service", "The service is not certain. "+r.Why
		r.Candidates = f.service.Suggestions
	}
	if item := f.item(m); item != nil && r.Certain == nil {
		r.Certain = control.CertainOf(*item)
	}
	return r, nil
}

// openIdentifier makes the identifier where the command line has opened the
// queue alone.
func (c *api) openIdentifier(ctx context.Context) {
	if c.d.identifier == nil && c.d.pairing == nil {
		c.d.openIdentifier(ctx)
	}
}

// commandWaits is how long the others may take for one item.
const commandWaits = 2 * time.Minute

// found is what is known of an item, and who knows it.
type found struct {
	said    *identity.Correction // decides alone
	service replay.Told
	away    error             // why the service could not be asked
	others  identity.Decision // or else by what the source told
	missed  error             // why the others could not be asked
}

// find says what an item is, whoever asks: by what a person has said, by the
// service of an account, or by others where the user turned them on. It records nothing.
func (d *Daemon) find(ctx context.Context, account string, m viewing.Media, patience time.Duration) (f found, err error) {
	if f.said, err = d.store.CorrectionFor(ctx, m); err != nil || f.said != nil {
		return f, err
	}
	f.away = replay.ErrNotNow
	if a := d.account(account); a != nil {
		f.service, f.away = a.loop.Ask(ctx, m)
	}
	if f.service.Media == nil {
		soon, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		f.others, _, f.missed = d.identifier.Ask(soon, identity.EvidenceOf(m))
	}
	return f, nil
}

// item is the item m with its identifier; nil where that is not certain.
func (f found) item(m viewing.Media) *viewing.Media {
	switch {
	case f.said != nil:
		m = f.said.Is.Apply(m)
	case f.service.Media != nil:
		m = *f.service.Media
	case f.others.Item != nil:
		m = f.others.Item.Apply(m)
	default:
		return nil
	}
	return &m
}
