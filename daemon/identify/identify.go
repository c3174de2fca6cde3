// Package identify opens Wikidata and TMDB, where the user turned them on, for the
// question what an item is. It says how they stand, and reads what a person types for
// an item. The answers of one that is turned off are forgotten.
package identify

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/resolve/wikidata"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Options is what an [Identifier] is made of.
type Options struct {
	Wikidata, TMDB Where
	Token          func() (string, error) // that TMDB asks for; "" for none
	Recovered      func(context.Context)  // what waited may be asked about again
	State          string                 // the folder where answers are kept
	Version        string
	Logger         *slog.Logger
}

// Where is one that can be asked: whether the user turned it on, and its address.
type Where struct {
	On      bool
	Address string
}

// Identifier has those that the user has turned on, in the order in which they are
// asked. A nil Identifier has none.
type Identifier struct {
	o     Options
	cache *resolve.Cache // nil where it cannot be opened
	all   []*provider
}

// provider is one that the user turned on.
type provider struct {
	name, address string
	detail        viewing.Message // what it is asked
	remedy        viewing.Message // what to do when it refuses us

	mu            sync.Mutex
	asked         *resolve.Provider // nil where it cannot be asked
	problem, hint viewing.Message   // why not, and what to do
}

// Open opens those that the user turned on; nil without any. What is wrong with one
// stands in its row: all else goes on without.
func Open(ctx context.Context, o Options) *Identifier {
	i := &Identifier{o: o}
	if o.Wikidata.On {
		i.all = append(i.all, &provider{
			name: "Wikidata", address: o.Wikidata.Address,
			detail: viewing.Say("asked.wikidata"),
		})
	}
	if o.TMDB.On {
		i.all = append(i.all, &provider{
			name: "TMDB", address: o.TMDB.Address, remedy: control.Command("filmspool login --tmdb"),
			detail: viewing.Say("asked.tMDB"),
		})
	}
	file := filepath.Join(o.State, "answers.db")
	if len(i.all) == 0 {
		if err := resolve.RemoveCache(file); err != nil {
			o.Logger.Warn("answers not removed", "file", file, "error", err)
		}
		return nil
	}
	var keys []string
	for _, p := range i.all {
		keys = append(keys, (&resolve.Provider{Name: p.name, From: p.address}).Key())
	}
	var fresh bool
	var err error
	i.cache, fresh, err = resolve.OpenCache(ctx, file, keys...)
	for _, p := range i.all {
		if err != nil {
			p.problem, p.hint = viewing.MessagesOf(err)[0], viewing.Say("hint.lookAtFolder", "path", o.State)
		} else {
			i.open(p)
		}
	}
	if fresh {
		o.Recovered(ctx)
	}
	return i
}

// open makes the client of one, or says why there can be none.
func (i *Identifier) open(p *provider) {
	var asker resolve.Asker
	var err error
	if p.name == "Wikidata" {
		asker, err = wikidata.New(p.address, i.o.Version)
	} else {
		var token string
		if token, err = i.o.Token(); err == nil && token == "" {
			p.problem, p.hint = viewing.Say("asked.noToken"), p.remedy
			return
		}
		if err == nil {
			asker, err = tmdb.New(p.address, token)
		}
	}
	if err != nil {
		p.problem, p.hint = viewing.MessagesOf(err)[0], p.remedy
		return
	}
	i.use(p, asker)
}

// use has another client asked.
func (i *Identifier) use(p *provider, asker resolve.Asker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = &resolve.Provider{
		Name: p.name, From: p.address, Asker: asker, Cache: i.cache, Log: i.o.Logger.With("part", "identity"),
		Recovered: func() { i.o.Recovered(context.Background()) },
	}
}

// current is how it is asked now; nil where it cannot be.
func (p *provider) current() *resolve.Provider {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (i *Identifier) providers() []*provider {
	if i == nil {
		return nil
	}
	return i.all
}

// Chain are those that can be asked now.
func (i *Identifier) Chain() (c resolve.Chain) {
	for _, p := range i.providers() {
		if asked := p.current(); asked != nil {
			c = append(c, asked)
		}
	}
	return c
}

// UseTMDB has TMDB asked by another client, where the user turned it on.
func (i *Identifier) UseTMDB(asker resolve.Asker) {
	for _, p := range i.providers() {
		if p.name == "TMDB" && i.cache != nil {
			i.use(p, asker)
		}
	}
}

// Answers counts what each that can be asked has answered, by its name in lower case.
func (i *Identifier) Answers() map[string]map[string]int64 {
	all := map[string]map[string]int64{}
	for _, p := range i.Chain() {
		all[strings.ToLower(p.Name)] = p.Answers()
	}
	return all
}

// Close closes the cache.
func (i *Identifier) Close() error {
	if i == nil {
		return nil
	}
	return i.cache.Close()
}

// Sources are the rows of those that were turned on.
func (i *Identifier) Sources() (all []control.Source) {
	for _, p := range i.providers() {
		s := control.Source{Name: strings.ToLower(p.name), Kind: "resolver", State: account.OK, Details: []viewing.Message{p.detail}}
		refuses := func(problem, hint viewing.Message) {
			s.State, s.Hint, s.Details = account.Attention, hint, []viewing.Message{problem}
			s.Troubles = []control.Trouble{{Code: "source", About: p.name, What: &problem}}
		}
		if asked := p.current(); asked == nil {
			refuses(p.problem, p.hint)
		} else if trouble := asked.Trouble(); errors.Is(trouble, resolve.ErrRefused) {
			refuses(viewing.MessagesOf(trouble)[0], p.remedy)
		} else if later, ok := errors.AsType[*resolve.LaterError](trouble); ok {
			s.State, s.Details = account.Offline, []viewing.Message{viewing.Say("asked.later").Because(later.Why)}
		} else if trouble != nil {
			s.State, s.Details = account.Offline, []viewing.Message{viewing.Say("asked.later").Because(viewing.MessagesOf(trouble)[0])}
		}
		all = append(all, s)
	}
	return all
}
