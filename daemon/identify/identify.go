package identify

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve/chain"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/resolve/memory"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/web"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
)

// Options is what an [Identifier] is made of.
type Options struct {
	Wikidata, TMDB Where
	Token          func() (string, error) // that TMDB asks for; "" for none
	Recovered      func(context.Context)  // what waited may be asked about anew
	State          string                 // the folder where answers are kept
	Version        string
	Logger         *slog.Logger
}

// Where is one that can be asked: whether the user turned it on, and its address.
type Where struct {
	On      bool
	Address string
}

// Identifier decides what items are. It asks those that the user has turned on.
type Identifier struct {
	o      Options
	givers []*giver // in the order in which they are asked

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

// Open makes an identifier of those that the user turned on; nil without any. What
// is wrong with one stands in its row: all else goes on without.
func Open(ctx context.Context, o Options) *Identifier {
	i := &Identifier{o: o}
	fresh := i.give(ctx, o.Wikidata, "wikidata.db", i.wikidata)
	fresh = i.give(ctx, o.TMDB, "answers.db", i.tmdb) || fresh
	if len(i.givers) == 0 {
		return nil
	}
	if fresh {
		o.Recovered(ctx)
	}
	return i
}

// give has a giver asked that the user has turned on. fresh says that this was just
// now. Of one that is turned off all answers are forgotten: TMDB's terms ask for that.
func (i *Identifier) give(ctx context.Context, at Where, name string, of func(*giver) (chain.Asker, error)) (fresh bool) {
	file := filepath.Join(i.o.State, name)
	if !at.On {
		if err := memory.Remove(file); err != nil {
			i.o.Logger.Warn("answers not removed", "file", file, "error", err)
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
	if g.memory, err = memory.Open(ctx, file, at.Address); err != nil {
		g.problem, g.hint = err.Error(), "look at the folder "+i.o.State+", then restart Filmspool"
		return false
	}
	if wrong != nil || asker == nil {
		return false
	}
	g.use(i.o.Logger, asker)
	return errors.Is(none, os.ErrNotExist)
}

// wikidata makes the client of Wikidata.
func (i *Identifier) wikidata(g *giver) (chain.Asker, error) {
	g.name, g.detail = "Wikidata", "is asked by numbers of IMDb, TVDB and streaming sites; it learns these, and never a title"
	return wikidata.New(i.o.Wikidata.Address, i.o.Version)
}

// tmdbHint says how TMDB gets its token.
const tmdbHint = "filmspool login --tmdb"

// tmdb makes the client of TMDB; none without a token.
func (i *Identifier) tmdb(g *giver) (chain.Asker, error) {
	g.name, g.detail, g.remedy = "TMDB", "is asked about what has no identifier", tmdbHint
	g.problem, g.hint = "it is turned on, and there is no token for it", tmdbHint
	token, err := i.o.Token()
	if err != nil || token == "" {
		return nil, err
	}
	return tmdb.New(i.o.TMDB.Address, token)
}

// use has another client asked.
func (g *giver) use(log *slog.Logger, asker chain.Asker) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.link = chain.NewLink(g.name, asker, g.memory, log.With("part", "identity"))
}

// current is how it is asked now; nil where it cannot be.
func (g *giver) current() *chain.Link {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.link
}

// turnedOn are those that the user has turned on.
func (i *Identifier) turnedOn() []*giver {
	if i == nil {
		return nil
	}
	return i.givers
}

// chain are those that can be asked now.
func (i *Identifier) chain() (c chain.Chain) {
	for _, g := range i.turnedOn() {
		if link := g.current(); link != nil {
			c = append(c, link)
		}
	}
	return c
}

// errNobody says that those who were turned on cannot be asked.
var errNobody = errors.New("nobody else can be asked what it is; filmspool status says why")

// UseTMDB has TMDB asked by another client, where the user turned it on.
func (i *Identifier) UseTMDB(asker chain.Asker) {
	for _, g := range i.turnedOn() {
		if g.name == "TMDB" && g.memory != nil {
			g.use(i.o.Logger, asker)
		}
	}
}

// Answers counts what each that can be asked has answered, by its name in lower case.
func (i *Identifier) Answers() map[string]map[string]int64 {
	all := map[string]map[string]int64{}
	for _, g := range i.turnedOn() {
		if link := g.current(); link != nil {
			all[strings.ToLower(g.name)] = link.Answers()
		}
	}
	return all
}

// Decide implements [replay.Identifier].
func (i *Identifier) Decide(ctx context.Context, all []identity.Evidence) ([]identity.Decision, error) {
	c := i.chain()
	if len(c) == 0 {
		return nil, errNobody
	}
	decided, err := c.Decide(ctx, all)
	if i.mayAgain(err) {
		i.o.Recovered(ctx)
	}
	return decided, err
}

// mayAgain reports whether what could not be asked may be asked now, once a day.
func (i *Identifier) mayAgain(err error) bool {
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

// Close closes the memories.
func (i *Identifier) Close() (err error) {
	for _, g := range i.turnedOn() {
		if g.memory != nil {
			err = errors.Join(err, g.memory.Close())
		}
	}
	return err
}

// Sources are the rows of those that were turned on.
func (i *Identifier) Sources() (all []control.Source) {
	for _, g := range i.turnedOn() {
		all = append(all, g.status())
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

// Ask decides by what others than the service say, or else, with asked
// false, by what was told alone.
func (i *Identifier) Ask(ctx context.Context, e identity.Evidence) (decision identity.Decision, asked bool, err error) {
	if len(i.chain()) == 0 || !identity.Asks(e) {
		return identity.Decide(e, nobody{}), false, nil
	}
	decided, err := i.Decide(ctx, []identity.Evidence{e})
	if err != nil || len(decided) != 1 || len(decided[0].Open) > 0 {
		return identity.Decide(e, nobody{}), false, err
	}
	return decided[0], true, nil
}
