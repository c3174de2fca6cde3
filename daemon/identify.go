package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve/chain"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/resolve/memory"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/web"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/viewing"
)

// identifier decides what items are. It asks those that the user has turned on.
type identifier struct {
	givers    []*giver // in the order in which they are asked
	mappings  config.MappingsFile
	recovered func(context.Context) // what waited may be asked about anew

	mu     sync.Mutex
	missed bool      // something was not asked, because it could not be
	anew   time.Time // when what waited was asked about anew the last time
}

// giver is one that is asked, where the user turned it on.
type giver struct {
	name, detail string
	memory       *memory.Memory // nil where it cannot be opened
	remedy       string         // what to do when it refuses us

	mu      sync.Mutex
	link    *chain.Link // nil where it cannot be asked
	problem string      // why not, and what to do
	hint    string
}

// anewEvery is how often what waited may be asked about anew after trouble.
const anewEvery = 24 * time.Hour

// openIdentifier makes the identifier, with a line for each that can be asked. What
// is wrong with one stands in the status: all else goes on without.
func (d *Daemon) openIdentifier(ctx context.Context) {
	set, i := d.o.Config.Resolve, &identifier{recovered: d.askAnew, mappings: config.MappingsFile{Name: d.o.Paths.Mappings()}}
	fresh := d.give(ctx, i, set.Wikidata.Enabled, "wikidata.db", set.Wikidata.Endpoint, d.wikidata)
	fresh = d.give(ctx, i, set.TMDB.Enabled, "answers.db", set.TMDB.BaseURL, d.tmdb) || fresh
	if len(i.givers) > 0 {
		d.identifier = i
		i.mapped(ctx)
	}
	if fresh {
		d.askAnew(ctx)
	}
}

// give has a giver asked that the user has turned on. fresh says that this was just
// now. Of one that is turned off all answers are forgotten: TMDB's terms ask for that.
func (d *Daemon) give(ctx context.Context, i *identifier, on bool, name, from string, of func(*giver) (chain.Asker, error)) (fresh bool) {
	file := filepath.Join(d.o.Paths.State, name)
	if !on {
		if err := memory.Remove(file); err != nil {
			d.log.Warn("answers not removed", "file", file, "error", err)
		}
		return false
	}
	g := &giver{}
	i.givers = append(i.givers, g)
	asker, wrong := of(g)
	if wrong != nil {
		g.problem = wrong.Error()
	}
	_, none := os.Stat(file)
	var err error
	if g.memory, err = memory.Open(ctx, file, from); err != nil {
		g.problem, g.hint = err.Error(), "look at the folder "+d.o.Paths.State+", then restart Filmspool"
		return false
	}
	if wrong != nil || asker == nil {
		return false
	}
	g.use(d, asker)
	return errors.Is(none, os.ErrNotExist)
}

// wikidata makes the client of Wikidata.
func (d *Daemon) wikidata(g *giver) (chain.Asker, error) {
	g.name, g.detail = "Wikidata", "is asked by numbers of IMDb, TVDB and streaming sites; it learns these, and never a title"
	return wikidata.New(d.o.Config.Resolve.Wikidata.Endpoint, d.o.Version)
}

// tmdbHint says how TMDB gets its token.
const tmdbHint = "filmspool login --tmdb"

// tmdb makes the client of TMDB; none without a token.
func (d *Daemon) tmdb(g *giver) (chain.Asker, error) {
	g.name, g.detail, g.remedy = "TMDB", "is asked about what has no identifier", tmdbHint
	g.problem, g.hint = "it is turned on, and there is no token for it", tmdbHint
	token, _, err := d.keys.TMDB()
	if err != nil || token.IsZero() {
		return nil, err
	}
	return tmdb.New(d.o.Config.Resolve.TMDB.BaseURL, token.Reveal())
}

// use has another client asked.
func (g *giver) use(d *Daemon, asker chain.Asker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.link = chain.NewLink(g.name, asker, g.memory, d.log.With("part", "identity"))
}

// current is how it is asked now; nil where it cannot be.
func (g *giver) current() *chain.Link {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.link
}

// turnedOn are those that the user has turned on.
func (i *identifier) turnedOn() []*giver {
	if i == nil {
		return nil
	}
	return i.givers
}

// chain are those that can be asked now.
func (i *identifier) chain() (c chain.Chain) {
	for _, g := range i.turnedOn() {
		if link := g.current(); link != nil {
			c = append(c, link)
		}
	}
	return c
}

// errNobody says that those who were turned on cannot be asked.
var errNobody = errors.New("nobody else can be asked what it is; filmspool status says why")

// Decide implements [replay.Identifier].
func (i *identifier) Decide(ctx context.Context, all []identity.Evidence) ([]identity.Decision, error) {
	c := i.chain()
	if len(c) == 0 {
		return nil, errNobody
	}
	decided, err := c.Decide(ctx, i.mapped(ctx), all)
	if i.mayAgain(err) {
		i.recovered(ctx)
	}
	return decided, err
}

// Maps implements [replay.Identifier].
func (i *identifier) Maps(ctx context.Context, e identity.Evidence) bool { return i.mapped(ctx).Any(e) }

// mapped are the mappings that count. Where they have changed, what waits is asked
// about anew.
func (i *identifier) mapped(ctx context.Context) identity.Mappings {
	all, changed := i.mappings.Current()
	if changed {
		i.recovered(ctx)
	}
	return all
}

// mayAgain reports whether what could not be asked may be asked now, once a day.
func (i *identifier) mayAgain(err error) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err != nil {
		i.missed = true
		return false
	}
	if !i.missed || time.Since(i.anew) < anewEvery {
		return false
	}
	i.missed, i.anew = false, time.Now()
	return true
}

// close closes the memories.
func (i *identifier) close() (err error) {
	for _, g := range i.turnedOn() {
		if g.memory != nil {
			err = errors.Join(err, g.memory.Close())
		}
	}
	return err
}

// askAnew has everything asked about anew that waits without an identifier.
func (d *Daemon) askAnew(ctx context.Context) {
	for name := range d.o.Config.Accounts {
		if err := d.store.AskAnew(ctx, name); err != nil {
			d.log.Warn("nobody is asked about what they were not asked before", "account", name, "error", err)
		}
	}
}

// status are the rows of those that were turned on. Whoever looks after a change of
// the mappings has them read.
func (i *identifier) status(ctx context.Context) (all []control.Source) {
	for _, g := range i.turnedOn() {
		all = append(all, g.status())
	}
	if i == nil {
		return all
	}
	i.mapped(ctx)
	if wrong := i.mappings.Wrong(); wrong != "" {
		all = append(all, control.Source{
			Name: filepath.Base(i.mappings.Name), Kind: "mappings", State: account.Attention,
			Detail: "what it said before counts on: " + wrong, Hint: "filmspool config check",
		})
	}
	return all
}

func (g *giver) status() control.Source {
	s := control.Source{Name: strings.ToLower(g.name), Kind: "resolver", State: account.OK, Detail: g.detail}
	link := g.current()
	if link == nil {
		s.State, s.Detail, s.Hint = account.Attention, g.problem, g.hint
		return s
	}
	trouble := link.Trouble()
	if later, ok := errors.AsType[*web.LaterError](trouble); ok {
		s.State, s.Detail = account.Offline, "the last time, it could not be asked: "+later.Why
	} else if trouble != nil {
		s.State, s.Detail, s.Hint = account.Attention, trouble.Error(), g.remedy
	}
	return s
}

// nobody answers no question.
type nobody struct{}

// Answer implements [identity.Known].
func (nobody) Answer(identity.Question) (*identity.Answer, bool) { return nil, true }

// Mapped implements [identity.Known].
func (nobody) Mapped(identity.Place) []identity.Place { return nil }

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
		for _, s := range f.service.Suggestions {
			r.Candidates = append(r.Candidates, identity.Candidate{Type: viewing.MediaType(s.Type), TMDB: s.TMDB, Title: s.Title, Year: s.Year})
		}
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

// askOthers decides by what others than the service say, or else, with asked
// false, by what was told alone.
func (d *Daemon) askOthers(ctx context.Context, e identity.Evidence) (decision identity.Decision, asked bool, err error) {
	if len(d.identifier.chain()) == 0 || !identity.Asks(e) {
		return identity.Decide(e, nobody{}), false, nil
	}
	decided, err := d.identifier.Decide(ctx, []identity.Evidence{e})
	if err != nil || len(decided) != 1 || len(decided[0].Open) > 0 {
		return identity.Decide(e, nobody{}), false, err
	}
	return decided[0], true, nil
}

// How long the others may take for one item.
const (
	browserWaits = 5 * time.Second
	commandWaits = 2 * time.Minute
)

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
	return d.look(ctx, account, m, patience), nil
}

// look is find for a person who may say something else than before.
func (d *Daemon) look(ctx context.Context, account string, m viewing.Media, patience time.Duration) (f found) {
	f.away = replay.ErrNotNow
	if a := d.account(account); a != nil {
		f.service, f.away = a.loop.Ask(ctx, m)
	}
	if f.service.Media == nil {
		soon, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		f.others, _, f.missed = d.askOthers(soon, identity.EvidenceOf(m))
	}
	return f
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
