package daemon

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector/hook"
	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/daemon/notify"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Control returns the API of this instance.
func (d *Daemon) Control() control.API { return control.NewAPI(d, nil) }

// Questions implements [control.API].
func (d *core) Questions(ctx context.Context) ([]entry.Question, error) {
	return d.store.Questions(ctx)
}

// reportEntries is how many of the latest entries a report counts.
const reportEntries = 200

// About implements [control.API].
func (d *core) About(ctx context.Context) (control.About, error) {
	a := control.About{
		Version: d.o.Version, Platform: runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH,
		Config: d.o.Paths.File, State: d.o.Paths.State, Database: d.o.Paths.Database(),
	}
	f := health.Facts{Version: "filmspool " + a.Version + ", " + a.Platform, Now: time.Now()}
	var err error
	if f.Status, err = d.Check(ctx); err != nil {
		return a, err
	}
	f.Latest, err = d.List(ctx, entry.Filter{Limit: reportEntries})
	a.Report = health.Report(f)
	return a, err
}

// Pair implements [control.API].
func (d *Daemon) Pair(context.Context) (pairing.Code, error) {
	return d.pairing.NewCode(), nil
}

// Clients implements [control.API].
func (d *Daemon) Clients(context.Context) ([]control.ClientInfo, error) {
	list := []control.ClientInfo{}
	for _, k := range d.pairing.List() {
		c := control.ClientInfo{
			ID: k.ID, Kind: clientKind(k), Label: k.Label, Origin: k.Origin, Browser: k.Browser, PairedAt: k.PairedAt.UTC(), LastSeen: control.OptionalTime(k.LastSeen),
		}
		if last, called := d.connector.LastCall(k.ID); called {
			c.LastCall = &last
		}
		list = append(list, c)
	}
	return list, nil
}

// AddClient implements [control.API].
func (d *Daemon) AddClient(ctx context.Context, p control.NewProgram) (control.AddedClient, error) {
	if senders := hook.Senders(); p.Hook != "" && !slices.Contains(senders, p.Hook) {
		return control.AddedClient{}, control.Invalid(
			viewing.Say("fault.noSender", "name", p.Hook), viewing.Say("hint.oneOfSenders", "names", strings.Join(senders, ", ")))
	}
	k, token, err := d.pairing.Add(ctx, p.Label)
	if err != nil {
		return control.AddedClient{}, clientFault(p.Label, err)
	}
	added := control.AddedClient{
		ID: k.ID, Kind: clientKind(k), Label: k.Label, Token: token, URL: "http://" + d.address + "/v1/viewings", Hook: p.Hook,
	}
	if p.Hook != "" {
		added.URL = "http://" + d.address + "/v1/hook/" + p.Hook + "/" + token
	}
	if p.Hook == "tautulli" {
		added.Body = hook.TautulliBody
	}
	return added, nil
}

// RenameSource implements [control.API].
func (d *Daemon) RenameSource(ctx context.Context, r control.Renaming) error {
	if renamed, err := d.renameLibrary(ctx, r); renamed || err != nil {
		return err
	}
	id, err := d.clientID(r.ID)
	if err == nil {
		err = d.pairing.Rename(ctx, id, r.Label)
	}
	return clientFault(r.ID, err)
}

// Revoke implements [control.API].
func (d *Daemon) Revoke(ctx context.Context, name string) error {
	id, err := d.clientID(name)
	if err == nil {
		err = d.pairing.Revoke(ctx, id)
		d.playing.end(viewing.SourceBrowser+":"+id, "")
		d.playing.end(viewing.SourceProgram+":"+id, "")
	}
	return clientFault(name, err)
}

// clientID returns the id of the client with this id or unique label. It returns an unknown name
// unchanged.
func (d *Daemon) clientID(name string) (string, error) {
	named := []string{}
	for _, k := range d.pairing.List() {
		if k.ID == name {
			return name, nil
		}
		if k.Label == name {
			named = append(named, k.ID)
		}
	}
	switch len(named) {
	case 0:
		return name, nil
	case 1:
		return named[0], nil
	default:
		return "", control.Invalid(
			viewing.Say("fault.sameName", "n", strconv.Itoa(len(named)), "name", name), viewing.Say("hint.oneOfIDs", "names", strings.Join(named, ", ")))
	}
}

// clientFault converts an error of the pairing registry into a fault of the control API.
func clientFault(name string, err error) error {
	switch {
	case errors.Is(err, pairing.ErrNotFound):
		return control.NotFound(viewing.Say("fault.noClient", "id", name), control.Command("filmspool sources programs list"))
	case errors.Is(err, pairing.ErrNoLabel):
		return control.Invalid(viewing.Say("fault.nameNeeded"), control.Command(`filmspool sources programs add "Home cinema"`))
	default:
		return err
	}
}

// Open implements [control.API].
func (d *Daemon) Open(ctx context.Context, await string) (control.Opened, error) {
	if await != "" {
		return control.Opened{Used: d.site.Await(ctx, await)}, nil
	}
	return control.Opened{URL: d.pagesURL(), Ticket: d.site.Ticket()}, nil
}

// pagesURL returns the address of the web pages, without a path.
func (d *Daemon) pagesURL() string {
	_, port, _ := net.SplitHostPort(d.address) // a listener's address always splits
	return "http://" + d.site.Host(port)
}

// noticeChannels returns the configured notice channels that work here, and the others with the
// reason.
func noticeChannels(o Options, keys config.Keys) (channels []notify.Channel, off []control.NoticeTest) {
	set := o.Config.Notices
	if set.Desktop && !o.Paths.System && notify.HasDesktop(o.Getenv) {
		channels = append(channels, notify.Channel{Name: "desktop", Codes: []string{health.KeyRefused, health.NothingDelivered}, Send: notify.Desktop})
	} else if set.Desktop {
		off = append(off, control.NoticeTest{Way: "desktop", State: control.NoticeOff, Detail: viewing.Say("notify.noDesktop")})
	}
	token, _, err := keys.Secret(config.WebhookToken)
	if set.Webhook.URL != "" && err == nil {
		channels = append(channels, notify.Channel{Name: "webhook", Send: notify.Webhook(set.Webhook.URL, token.Reveal(), "filmspool/"+o.Version)})
	} else if set.Webhook.URL != "" {
		off = append(off, control.NoticeTest{Way: "webhook", State: control.NoticeOff, Detail: viewing.MessagesOf(err)[0]})
	}
	return channels, off
}

// NoticesOff returns a warning for each configured notice channel that cannot work in this
// process. The desktop is on by default, so it is included only if the configuration sets it.
func NoticesOff(o Options) (warnings []viewing.Message) {
	_, off := noticeChannels(o, config.Keys{Dir: o.Paths.State, Getenv: o.Getenv})
	for _, w := range off {
		if w.Way != "desktop" || o.Config.IsSet("notices.desktop") {
			warnings = append(warnings, viewing.Say("notify.off", "name", w.Way).Because(w.Detail))
		}
	}
	return warnings
}

// sendNotices notifies the user of problems until ctx ends.
func (d *Daemon) sendNotices(ctx context.Context) error {
	channels, off := noticeChannels(d.o, d.keys)
	log := d.log.With("part", "notify")
	for _, w := range off {
		log.Info("a notice channel is off", "way", w.Way, "error", w.Detail)
	}
	if len(channels) == 0 {
		return nil
	}
	news, stop := d.changes()
	defer stop()
	n := notify.Notifier{Channels: channels, Problems: d.problems, News: news, Store: recordStore{d.store, "notices"}, Logger: log}
	n.Run(ctx)
	return nil
}

// problems returns the current problems with their texts.
func (d *Daemon) problems(ctx context.Context) ([]control.Problem, error) {
	s, err := d.statusWithProblems(ctx, false)
	health.Render(locale.In(d.language()), &s)
	return s.Problems, err
}

// TestNotices implements [control.API].
func (d *Daemon) TestNotices(ctx context.Context) ([]control.NoticeTest, error) {
	channels, list := noticeChannels(d.o, d.keys)
	for _, c := range channels {
		t := control.NoticeTest{Way: c.Name, State: control.NoticeSent}
		if err := c.Send(ctx, notify.Test(locale.In(d.language()))); err != nil {
			t.State, t.Detail = control.NoticeFailed, viewing.MessagesOf(err)[0]
		}
		list = append(list, t)
	}
	return list, nil
}
