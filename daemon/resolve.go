package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/identify"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// openIdentifier makes what asks others, once, where the user turned one on.
func (d *core) openIdentifier(ctx context.Context) {
	if d.identifier != nil {
		return
	}
	set := d.o.Config.Resolve
	d.identifier = identify.Open(ctx, identify.Options{
		Wikidata:  identify.Where{On: set.Wikidata.Enabled, Address: set.Wikidata.Endpoint},
		TMDB:      identify.Where{On: set.TMDB.Enabled, Address: set.TMDB.BaseURL},
		Token:     func() (string, error) { token, _, err := d.keys.TMDB(); return token.Reveal(), err },
		Recovered: d.askAnew, State: d.o.Paths.State, Version: d.o.Version, Logger: d.log,
	})
}

// askAnew has everything asked about anew that waits without an identifier.
func (d *core) askAnew(ctx context.Context) {
	for name := range d.o.Config.Accounts {
		if err := d.store.AskAnew(ctx, name); err != nil {
			d.log.Warn("nobody is asked about what they were not asked before", "account", name, "error", err)
		}
	}
}

// Resolve implements [control.API].
func (d *core) Resolve(ctx context.Context, w control.Wanted) (control.Resolution, error) {
	d.openIdentifier(ctx)
	m := w.Media()
	said, err := d.store.CorrectionFor(ctx, m)
	if err != nil {
		return control.Resolution{}, err
	}
	english := locale.In(locale.English)
	if said != nil {
		is, _ := said.Apply(m)
		why := english.Message(viewing.Say("resolve.corrected", "is", said.Is.String())) + "."
		return control.Resolution{Candidates: []resolve.Candidate{}, By: "correction", Why: why, Correction: said, Certain: control.CertainOf(is)}, nil
	}
	decision, trouble := d.identify(ctx, viewing.DefaultAccount, resolve.Evidence{Media: m})
	r := control.ResolutionOf(decision, english.Message(decision.Message())+".")
	if trouble != nil && !errors.Is(trouble, replay.ErrNotNow) && decision.Is == nil {
		r.Why += " " + strings.TrimSuffix(trouble.Error(), ".") + "."
	}
	return r, nil
}

// commandWaits is how long one item may take.
const commandWaits = 2 * time.Minute

// identify says what an item is, whoever asks: by the service of an account, and by
// others where the user turned them on. It records nothing.
func (d *core) identify(ctx context.Context, account string, e resolve.Evidence) (resolve.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, commandWaits)
	defer cancel()
	if a := d.account(account); a != nil {
		decision, err := a.loop.Identify(ctx, e)
		if errors.Is(err, replay.ErrNotNow) && decision.By != "" {
			err = nil // others were asked
		}
		return decision, err
	}
	decided, err := d.identifier.Chain().Decide(ctx, []resolve.Evidence{e})
	return decided[0], err
}
