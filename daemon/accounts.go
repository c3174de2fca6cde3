package daemon

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// sender is what sends for one account: its loop, with its key and its client.
type sender struct {
	name string
	loop *replay.Loop
	conn atomic.Pointer[connection]
}

// connection is how an account reaches its service.
type connection struct {
	credential config.Credential
	client     *tracker.Client // nil without key or address
	problem    viewing.Message // why there is no client
}

// accountNames are those of the configuration, sorted.
func (d *core) accountNames() []string { return slices.Sorted(maps.Keys(d.o.Config.Accounts)) }

// openAccount makes one account's loop, with a client where key and address
// are known.
func (d *core) openAccount(ctx context.Context, name string) (*sender, error) {
	c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
	if err != nil {
		return nil, err
	}
	l := d.connect(ctx, c)
	o := replay.Options{
		Account: name, Outbox: d.store, Service: l.client, InDoubt: doubt.Setting(d.o.Config.InDoubt), Idempotent: d.o.Config.Accounts[name].Idempotency,
		Rate: d.o.Config.Replay.Rate, BackfillRate: d.o.Config.Replay.BackfillRate,
		Logger: d.log.With("part", "replay", "account", name), InstallationID: d.store.InstallationID(),
	}
	if len(d.providers) > 0 {
		o.Others = d.chain
	}
	if d.o.Loop != nil {
		d.o.Loop(&o)
	}
	a := &sender{name: name, loop: replay.New(o)}
	a.conn.Store(l)
	a.loop.Wake() // key or address may have been mended before this start: ask at once
	return a, nil
}

// connect makes a client for a credential, or says why there can be none.
func (d *core) connect(ctx context.Context, c config.Credential) *connection {
	l := &connection{credential: c, problem: missing(c)}
	if l.problem.Code != "" {
		return l
	}
	proven, err := d.moveTo(ctx, c)
	if err == nil {
		l.client, err = tracker.New(tracker.Options{
			BaseURL: c.BaseURL, Key: c.Key.Reveal(), KeyHeader: c.KeyHeader, Proven: proven, UserAgent: "filmspool/" + d.o.Version,
		})
	}
	if err != nil {
		l.problem = viewing.MessagesOf(err)[0]
	}
	return l
}

// missing is what a credential lacks for a client, if anything.
func missing(c config.Credential) viewing.Message {
	switch {
	case c.BaseURL == "":
		return viewing.Say("noService")
	case c.Key.IsZero():
		return c.KeyProblem
	default:
		return viewing.Message{}
	}
}

// moveTo notes the account's address and reports whether it has ever answered
// as the service does. What was known of another address counts no more.
func (d *core) moveTo(ctx context.Context, c config.Credential) (proven bool, err error) {
	kept, err := d.store.Account(ctx, c.Account)
	if err != nil || kept.BaseURL == c.BaseURL {
		return kept.Proven, err
	}
	return false, d.store.UpdateAccount(ctx, c.Account, func(a *account.Row) { a.MoveTo(c.BaseURL, time.Now()) })
}

// use gives the account a new key or address; the loop takes it at once.
func (a *sender) use(c config.Credential, client *tracker.Client) {
	old := a.conn.Swap(&connection{credential: c, client: client})
	a.loop.Use(client)
	old.close()
}

// close drops the client's connections.
func (l *connection) close() {
	if l.client != nil {
		l.client.Close()
	}
}

// clock says that this machine's clock and the service's differ by more than they may;
// nil where they do not, or nobody knows.
func (l *connection) clock() *control.Problem {
	if l.client == nil || l.client.Ahead().Abs() <= clocksApart {
		return nil
	}
	off := l.client.Ahead().Round(time.Minute)
	span := viewing.Said(fmt.Sprintf("%d min", off.Abs()/time.Minute))
	return &control.Problem{Code: health.ClockWrong, About: l.credential.Account, What: &span}
}

// clocksApart is how far two clocks may differ. A viewing further in the future is held.
const clocksApart = 5 * time.Minute

// wake has every account's loop try again at once.
func (d *core) wake() {
	for _, a := range d.accounts {
		a.loop.Wake()
	}
}

// serviceOf is a client of an account's service, and what ends its use.
func (d *core) serviceOf(ctx context.Context, name string) (*tracker.Client, func(), error) {
	var l *connection
	done := func() {}
	if a := d.account(name); a != nil {
		l = a.conn.Load()
	} else {
		c, err := d.keys.Find(name, d.o.Config.Accounts[name], d.o.Paths.File)
		if err != nil {
			return nil, nil, err
		}
		l = d.connect(ctx, c)
		done = l.close
	}
	if l.client == nil {
		return nil, nil, control.Refused(viewing.Say("fault.cannotAsk", "name", name).Because(l.problem), loginCommand(name, ""))
	}
	return l.client, done, nil
}
