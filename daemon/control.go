package daemon

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/support"
	"github.com/filmspool/filmspool/queue/entry"
)

// Control is what a person can ask of this instance.
func (d *Daemon) Control() control.API {
	a, op := &api{d: d}, d.operator()
	return control.API{
		Status: a.Status, Health: a.Health, Open: a.Open, About: a.About, Add: op.Add, List: op.List, Days: op.Days, Explain: a.Explain, Edit: op.Edit, Undo: op.Undo, Operate: op.Operate,
		Pause: op.Pause, Resume: op.Resume, Acknowledge: op.Acknowledge, Export: op.Export, Backup: op.Backup,
		Resolve: a.Resolve, Fix: a.Fix, Corrections: op.Corrections, ForgetCorrection: op.ForgetCorrection, Login: a.Login, Pair: a.Pair, Clients: a.Clients, AddClient: a.AddClient, Revoke: a.Revoke,
		Settings: a.Settings, Set: a.Set, Reload: a.Reload, FindKodi: a.FindKodi, AddKodi: a.AddKodi, RemoveKodi: a.RemoveKodi,
		ScanKodi: a.ScanKodi, ImportKodi: a.ImportKodi, KodiProgress: a.KodiProgress,
		TestNotices: a.TestNotices,
	}
}

// reported is how many of the latest entries a report counts.
const reported = 200

// About implements [control.API].
func (c *api) About(ctx context.Context) (control.About, error) {
	o := c.d.o
	a := control.About{
		Version: o.Version, Platform: runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH,
		Config: o.Paths.File, State: o.Paths.State, Database: o.Paths.Database(),
	}
	f := support.Facts{Version: "filmspool " + a.Version + ", " + a.Platform, Now: time.Now()}
	var err error
	if f.Status, err = c.Status(ctx); err != nil {
		return a, err
	}
	if f.Health, err = c.Health(ctx, control.HealthAsked{}); err != nil {
		return a, err
	}
	f.Latest, err = c.d.operator().List(ctx, entry.Filter{Limit: reported})
	a.Report = support.Text(f)
	return a, err
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
			ID: k.ID, Kind: kindOf(k), Label: k.Label, Origin: k.Origin, Browser: k.Browser, PairedAt: k.PairedAt.UTC(), LastSeen: control.Known(k.LastSeen),
		})
	}
	return list, nil
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
