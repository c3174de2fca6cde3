package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/resolve/memory"
	"github.com/filmspool/filmspool/queue/resolve/tmdb"
	"github.com/filmspool/filmspool/queue/viewing"
)

// identifier decides what items are. It asks TMDB where the user turned that on
// and has given a token.
type identifier struct {
	memory *memory.Memory // nil where it cannot be opened

	recovered func(context.Context) // what waited may be asked about anew

	mu       sync.Mutex
	resolver *tmdb.Resolver // nil where TMDB cannot be asked
	problem  string         // why not, and what to do
	hint     string
	missed   bool      // something was not asked, because it could not be
	anew     time.Time // when what waited was asked about anew the last time
}

// anewEvery is how often what waited may be asked about anew after trouble.
const anewEvery = 24 * time.Hour

// openIdentifier makes the identifier, where the user turned one on. What is
// wrong with it stands in the status: all else goes on without. Where they have
// turned it off, the answers of TMDB are forgotten: its terms ask for that.
func (d *Daemon) openIdentifier(ctx context.Context) {
	file := filepath.Join(d.o.Paths.State, "answers.db")
	if !d.o.Config.Resolve.TMDB.Enabled {
		if err := memory.Remove(file); err != nil {
			d.log.Warn("answers of TMDB not removed", "error", err)
		}
		return
	}
	i := &identifier{problem: "it is turned on, and there is no token for it", hint: "filmspool login --tmdb", recovered: d.askAnew}
	d.identifier = i
	token, _, err := d.keys.TMDB()
	if err != nil {
		i.problem = err.Error()
	}
	_, none := os.Stat(file)
	if i.memory, err = memory.Open(ctx, file, d.o.Config.Resolve.TMDB.BaseURL); err != nil {
		i.problem, i.hint = err.Error(), "look at the folder "+d.o.Paths.State+", then restart Filmspool"
		return
	}
	if token.IsZero() {
		return
	}
	client, err := tmdb.New(d.o.Config.Resolve.TMDB.BaseURL, token.Reveal())
	if err != nil {
		i.problem = err.Error()
		return
	}
	i.use(d, client)
	if errors.Is(none, os.ErrNotExist) { // it was turned on just now
		d.askAnew(ctx)
	}
}

// use has another client asked.
func (i *identifier) use(d *Daemon, client *tmdb.Client) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.resolver = tmdb.NewResolver(client, i.memory, d.log.With("part", "identity"))
}

// current is who decides now; nil without a token.
func (i *identifier) current() *tmdb.Resolver {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.resolver
}

// errNoTMDB says that TMDB was turned on and cannot be asked.
var errNoTMDB = errors.New("TMDB cannot be asked; filmspool status says why")

// Decide implements [replay.Identifier].
func (i *identifier) Decide(ctx context.Context, all []identity.Evidence) ([]identity.Decision, error) {
	r := i.current()
	if r == nil {
		return nil, errNoTMDB
	}
	decided, err := r.Decide(ctx, all)
	if i.mayAgain(err) {
		i.recovered(ctx)
	}
	return decided, err
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

// close closes the memory.
func (i *identifier) close() error {
	if i == nil || i.memory == nil {
		return nil
	}
	return i.memory.Close()
}

// askAnew has TMDB asked about everything that waits without an identifier.
func (d *Daemon) askAnew(ctx context.Context) {
	for name := range d.o.Config.Accounts {
		if err := d.store.AskAnew(ctx, name); err != nil {
			d.log.Warn("TMDB is not asked about what it was not asked before", "account", name, "error", err)
		}
	}
}

// status is the row of TMDB in the status; false where it is turned off.
func (i *identifier) status() (s control.Source, on bool) {
	if i == nil {
		return s, false
	}
	s = control.Source{Name: "tmdb", Kind: "resolver", State: account.OK, Detail: "is asked about what has no identifier"}
	r := i.current()
	if r == nil {
		s.State, s.Detail, s.Hint = account.Attention, i.problem, i.hint
		return s, true
	}
	switch trouble := r.Trouble(); {
	case errors.Is(trouble, tmdb.ErrToken):
		s.State, s.Detail, s.Hint = account.Attention, trouble.Error(), "filmspool login --tmdb"
	case trouble != nil:
		s.State, s.Detail = account.Offline, "the last time, it could not be asked: "+strings.TrimPrefix(trouble.Error(), "TMDB cannot be asked now: ")
	}
	return s, true
}

// loginTMDB proves a token with TMDB, keeps it, and has TMDB asked with it.
func (d *Daemon) loginTMDB(ctx context.Context, l control.Login) (control.LoginResult, error) {
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
		return result, refused("the token for TMDB comes from a systemd credential, which wins over a login", "change the credential and restart the service")
	}
	var later *tmdb.LaterError
	switch err := client.Prove(ctx); {
	case errors.Is(err, tmdb.ErrToken):
		return result, refused(err.Error(), where)
	case errors.As(err, &later):
		return result, refused(err.Error(), "when it can be reached: filmspool login --tmdb")
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
	if d.identifier != nil && d.identifier.memory != nil {
		d.identifier.use(d, client)
	}
	d.askAnew(ctx)
	return result, nil
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
	r := control.ResolutionOf(f.others, f.asked)
	switch {
	case f.said != nil:
		r.By, r.Why, r.Correction = "correction", f.said.Said(), f.said
	case f.service.Media != nil:
		r.By, r.Why = "service", "The service is sure."
	case f.missed != nil:
		r.Why += " " + sentence(f.missed.Error())
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

// askTMDB decides by what TMDB says, or else, with asked false, by what was told
// alone.
func (d *Daemon) askTMDB(ctx context.Context, e identity.Evidence) (decision identity.Decision, asked bool, err error) {
	if d.identifier.current() == nil || !identity.Asks(e) {
		return identity.Decide(e, nobody{}), false, nil
	}
	decided, err := d.identifier.Decide(ctx, []identity.Evidence{e})
	if err != nil || len(decided) != 1 || len(decided[0].Open) > 0 {
		return identity.Decide(e, nobody{}), false, err
	}
	return decided[0], true, nil
}

// How long TMDB may take for one item.
const (
	browserWaits = 5 * time.Second
	commandWaits = 2 * time.Minute
)

// found is what is known of an item, and who knows it.
type found struct {
	said    *queue.Correction // decides alone
	service replay.Told
	away    error             // why the service could not be asked
	others  identity.Decision // by TMDB, or else by what the source told
	asked   bool              // by TMDB
	missed  error             // why TMDB could not be asked
}

// find says what an item is, whoever asks: by what a person has said, by the
// service of an account, or by TMDB where the user turned it on. It records nothing.
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
		f.others, f.asked, f.missed = d.askTMDB(soon, identity.EvidenceOf(m))
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
