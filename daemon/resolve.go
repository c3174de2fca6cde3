package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/viewing"
)

// provider is Wikidata or TMDB, where the user turned it on.
type provider struct {
	name, address string
	detail        viewing.Message // what it is asked
	remedy        viewing.Message // what to do when it refuses us

	mu            sync.Mutex
	client        *resolve.Provider // nil where it cannot be asked
	problem, hint viewing.Message   // why not, and what to do
}

// openProviders makes the providers that the user turned on, once. What is wrong with one
// stands in its row of the status; everything else goes on without it. Where none is on,
// old answers are removed.
func (d *core) openProviders(ctx context.Context) {
	if d.providersOpen {
		return
	}
	d.providersOpen = true
	set := d.o.Config.Resolve
	if set.Wikidata.Enabled {
		d.providers = append(d.providers, &provider{name: "Wikidata", address: set.Wikidata.Endpoint, detail: viewing.Say("asked.wikidata")})
	}
	if set.TMDB.Enabled {
		d.providers = append(d.providers, d.tmdbProvider())
	}
	if !set.TMDB.Enabled {
		if err := os.RemoveAll(d.picturesDir()); err != nil {
			d.log.Warn("pictures not removed", "folder", d.picturesDir(), "error", err)
		}
	}
	folder := filepath.Join(d.o.Paths.State, "answers")
	if len(d.providers) == 0 {
		if err := os.RemoveAll(folder); err != nil {
			d.log.Warn("answers not removed", "folder", folder, "error", err)
		}
		return
	}
	var keys []string
	for _, p := range d.providers {
		keys = append(keys, (&resolve.Provider{Name: p.name, From: p.address}).Key())
	}
	cache, fresh, err := resolve.OpenCache(folder, keys...)
	d.answers = cache
	for _, p := range d.providers {
		if err != nil {
			p.problem, p.hint = viewing.MessagesOf(err)[0], viewing.Say("hint.lookAtFolder", "path", d.o.Paths.State)
		} else {
			d.openProvider(p)
		}
	}
	if fresh {
		d.askAgain(ctx)
	}
}

// tmdbProvider returns TMDB as it is configured.
func (d *core) tmdbProvider() *provider {
	return &provider{
		name: "TMDB", address: d.o.Config.Resolve.TMDB.BaseURL, detail: viewing.Say("asked.tMDB"), remedy: control.Command("filmspool login --tmdb"),
	}
}

// openProvider makes the client of one, or says why there can be none.
func (d *core) openProvider(p *provider) {
	var asker resolve.Asker
	var err error
	if p.name == "Wikidata" {
		asker, err = wikidata.New(p.address, d.o.Version)
	} else {
		var token string
		if token, err = d.tmdbToken(); err == nil {
			asker, err = tmdb.New(p.address, token)
		}
	}
	if err != nil {
		p.problem, p.hint = viewing.MessagesOf(err)[0], p.remedy
		return
	}
	d.useProvider(p, asker)
}

// tmdbToken is the token that is kept for TMDB; none is an error.
func (d *core) tmdbToken() (string, error) {
	token, _, err := d.keys.TMDB()
	if err == nil && token.IsZero() {
		err = viewing.Say("asked.noToken")
	}
	return token.Reveal(), err
}

// useProvider has another client asked.
func (d *core) useProvider(p *provider, asker resolve.Asker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = &resolve.Provider{
		Name: p.name, From: p.address, Asker: asker, Cache: d.answers, Log: d.log.With("part", "identity"),
		Recovered: func() { d.askAgain(context.Background()) },
	}
}

// current is how it is asked now; nil where it cannot be.
func (p *provider) current() *resolve.Provider {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.client
}

// chain has the providers that can be asked now.
func (d *core) chain() (c resolve.Chain) {
	for _, p := range d.providers {
		if client := p.current(); client != nil {
			c = append(c, client)
		}
	}
	return c
}

// status is the provider's row among the sources.
func (p *provider) status() control.Source {
	s := control.Source{Name: strings.ToLower(p.name), Kind: "resolver", State: account.OK, Details: []viewing.Message{p.detail}}
	attention := func(problem, hint viewing.Message) {
		s.State, s.Hint, s.Details = account.Attention, hint, []viewing.Message{problem}
		s.Troubles = []control.Problem{{Code: "source", About: p.name, What: &problem}}
	}
	client := p.current()
	if client == nil {
		attention(p.problem, p.hint)
		return s
	}
	trouble := client.Trouble()
	later, isLater := errors.AsType[*resolve.LaterError](trouble)
	switch {
	case trouble == nil:
	case errors.Is(trouble, resolve.ErrRefused):
		attention(viewing.MessagesOf(trouble)[0], p.remedy)
	case isLater:
		s.State, s.Details = account.Offline, []viewing.Message{viewing.Say("asked.later").Because(later.Why)}
	default:
		s.State, s.Details = account.Offline, []viewing.Message{viewing.Say("asked.later").Because(viewing.MessagesOf(trouble)[0])}
	}
	return s
}

// askAgain has every unresolved entry resolved again, with the providers of now.
func (d *core) askAgain(ctx context.Context) {
	for name := range d.o.Config.Accounts {
		if err := d.store.AskAnew(ctx, name); err != nil {
			d.log.Warn("unresolved entries are not resolved again", "account", name, "error", err)
		}
	}
}

// Resolve implements [control.API].
func (d *core) Resolve(ctx context.Context, w control.Wanted) (control.Resolution, error) {
	d.openProviders(ctx)
	m := w.Media()
	correction, err := d.store.CorrectionFor(ctx, m)
	if err != nil {
		return control.Resolution{}, err
	}
	english := locale.In(locale.English)
	if correction != nil {
		m, _ = correction.Apply(m)
	}
	if correction != nil && m.Identified() {
		why := english.Message(viewing.Say("resolve.corrected", "is", correction.Is.String())) + "."
		return control.Resolution{Candidates: []resolve.Candidate{}, By: "correction", Why: why, Correction: correction, Certain: control.CertainOf(m)}, nil
	}
	decision, trouble := d.resolve(ctx, viewing.DefaultAccount, resolve.Evidence{Media: m})
	r := control.ResolutionOf(decision, english.Message(decision.Message())+".")
	switch {
	case trouble == nil || decision.Is != nil:
	case errors.Is(trouble, replay.ErrNotNow):
		why := viewing.Say("fault.notAsked").Because(viewing.MessagesOf(trouble)[0])
		r.Trouble, r.Why = &why, english.Message(why)+"."
	default:
		r.Why += " " + strings.TrimSuffix(trouble.Error(), ".") + "."
	}
	return r, nil
}

// resolveTime is how long resolving one item may take.
const resolveTime = 2 * time.Minute

// resolve says what an item is, by the service of an account and by the providers. It
// records nothing.
func (d *core) resolve(ctx context.Context, account string, e resolve.Evidence) (decision resolve.Decision, err error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	if a := d.account(account); a != nil {
		decision, err = a.loop.Identify(ctx, e)
		if errors.Is(err, replay.ErrNotNow) && decision.By != "" {
			err = nil // others were asked
		}
	} else {
		var decided []resolve.Decision
		decided, err = d.chain().Decide(ctx, []resolve.Evidence{e})
		decision = decided[0]
	}
	d.titles.offers(decision.Candidates)
	return decision, err
}
