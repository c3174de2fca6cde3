package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// api is a daemon seen by who controls it.
type api struct{ d *Daemon }

// Control is what a person can ask of this instance.
func (d *Daemon) Control() control.API {
	a := &api{d: d}
	return control.API{
		Status: a.Status, Add: a.Add, List: a.List, Explain: a.Explain, Edit: a.Edit, Undo: a.Undo, Operate: a.Operate,
		Pause: a.Pause, Resume: a.Resume, Acknowledge: a.Acknowledge, Export: a.Export, Import: a.Import, Backup: a.Backup,
		Resolve: a.Resolve, Fix: a.Fix, Corrections: a.Corrections, ForgetCorrection: a.ForgetCorrection, Login: a.Login, Pair: a.Pair, Clients: a.Clients, AddClient: a.AddClient, Revoke: a.Revoke,
		ScanKodi: a.ScanKodi, ImportKodi: a.ImportKodi, KodiProgress: a.KodiProgress,
	}
}

// Add implements [control.API].
func (c *api) Add(ctx context.Context, v viewing.Event) (queue.Entry, error) {
	outcomes, err := c.d.store.Commit(ctx, viewing.Batch{Source: viewing.SourceCLI, Events: []viewing.Event{v}})
	if err != nil {
		return queue.Entry{}, err
	}
	if len(outcomes) != 1 || len(outcomes[0].Entries) == 0 {
		return queue.Entry{}, &control.Fault{Code: control.CodeInvalid, Message: "nothing was added: " + outcomes[0].Reason}
	}
	x, err := c.d.store.Explain(ctx, outcomes[0].Entries[0])
	return x.Entry, err
}

// List implements [control.API].
func (c *api) List(ctx context.Context, f entry.Filter) ([]queue.Entry, error) {
	list, limit := []queue.Entry{}, f.Limit
	for limit == 0 || len(list) < limit {
		f.Limit = maxPage
		if limit > 0 {
			f.Limit = min(limit-len(list), maxPage)
		}
		page, err := c.d.store.Entries(ctx, f)
		if err != nil {
			return nil, operatorFault(err)
		}
		list = append(list, page...)
		if len(page) < f.Limit {
			break
		}
		f.Below = page[len(page)-1].ID
	}
	return list, nil
}

// maxPage is how many entries the queue lists at once.
const maxPage = 1000

// Explain implements [control.API].
func (c *api) Explain(ctx context.Context, id int64) (out control.Explanation, err error) {
	out.Explanation, err = c.d.store.Explain(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return out, &control.Fault{Code: control.CodeNotFound, Message: fmt.Sprintf("there is no entry %d", id), Hint: "filmspool queue list"}
	}
	if err != nil {
		return out, err
	}
	return out, c.advise(ctx, &out)
}

// Pair implements [control.API].
func (c *api) Pair(context.Context) (control.PairingCode, error) {
	if c.d.pairing == nil {
		return control.PairingCode{}, notRunning(c.d.o.Paths)
	}
	code := c.d.pairing.NewCode()
	out := control.PairingCode{Code: code.Text, ExpiresAt: code.ExpiresAt.UTC()}
	for _, t := range code.Tried {
		out.Tried = append(out.Tried, control.WrongCodes(t))
	}
	return out, nil
}

// Clients implements [control.API].
func (c *api) Clients(context.Context) ([]control.ClientInfo, error) {
	if c.d.pairing == nil {
		return nil, notRunning(c.d.o.Paths)
	}
	list := []control.ClientInfo{}
	for _, k := range c.d.pairing.List() {
		list = append(list, control.ClientInfo{
			ID: k.ID, Kind: kindOf(k), Label: k.Label, Origin: k.Origin, Browser: k.Browser, PairedAt: k.PairedAt.UTC(), LastSeen: known(k.LastSeen),
		})
	}
	return list, nil
}

// kindOf is what a client is to a person.
func kindOf(k pairing.Client) string {
	if k.Program() {
		return viewing.SourceProgram
	}
	return viewing.SourceBrowser
}

// AddClient implements [control.API].
func (c *api) AddClient(ctx context.Context, p control.NewProgram) (control.AddedClient, error) {
	if c.d.pairing == nil {
		return control.AddedClient{}, notRunning(c.d.o.Paths)
	}
	k, token, err := c.d.pairing.Add(ctx, p.Label)
	if errors.Is(err, pairing.ErrNoLabel) {
		return control.AddedClient{}, &control.Fault{Code: control.CodeInvalid, Message: "a program needs a name", Hint: `filmspool clients add "Home cinema"`}
	}
	if err != nil {
		return control.AddedClient{}, err
	}
	return control.AddedClient{
		ID: k.ID, Kind: kindOf(k), Label: k.Label, Token: token, URL: "http://" + c.d.listening() + "/v1/viewings",
	}, nil
}

// Revoke implements [control.API]. It takes a client's id, or a name that
// only one client has.
func (c *api) Revoke(ctx context.Context, id string) error {
	if c.d.pairing == nil {
		return notRunning(c.d.o.Paths)
	}
	named := []string{}
	for _, k := range c.d.pairing.List() {
		if k.ID == id {
			named = []string{id}
			break
		}
		if k.Label == id {
			named = append(named, k.ID)
		}
	}
	if len(named) > 1 {
		return &control.Fault{
			Code: control.CodeInvalid, Message: fmt.Sprintf("%d clients have the name %q", len(named), id),
			Hint: "give one of the ids: " + strings.Join(named, ", "),
		}
	}
	if len(named) == 1 {
		id = named[0]
	}
	err := c.d.pairing.Revoke(ctx, id)
	if errors.Is(err, pairing.ErrNotFound) {
		return &control.Fault{Code: control.CodeNotFound, Message: fmt.Sprintf("there is no client %q", id), Hint: "filmspool clients list"}
	}
	return err
}

// Acknowledge implements [control.API].
func (c *api) Acknowledge(ctx context.Context, id int64) error {
	err := c.d.store.Acknowledge(ctx, id)
	if errors.Is(err, entry.ErrNotFound) {
		return &control.Fault{Code: control.CodeNotFound, Message: fmt.Sprintf("there is no notice %d", id), Hint: "filmspool status"}
	}
	return err
}

// known is t in UTC, or nil for the zero time.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// clientKeep keeps the paired browsers as the memory of a source of its own.
type clientKeep struct{ store *queue.Store }

// clientSource is the name under which the queue keeps them.
const clientSource = "clients"

// Load implements [pairing.Keep].
func (k clientKeep) Load(ctx context.Context) (map[string][]byte, error) {
	return k.store.State(ctx, clientSource)
}

// Save implements [pairing.Keep].
func (k clientKeep) Save(ctx context.Context, id string, record []byte) error {
	_, err := k.store.Commit(ctx, viewing.Batch{Source: clientSource, State: map[string][]byte{id: record}})
	return err
}
