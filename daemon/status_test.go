package daemon

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// codes are those of troubles.
func codes(all []control.Problem) (codes []string) {
	for _, t := range all {
		codes = append(codes, t.Code)
	}
	return codes
}

// TestWhatIsWrongWithAnAccountHasACode: each kind of trouble with key, address and
// service is told apart.
func TestWhatIsWrongWithAnAccountHasACode(t *testing.T) {
	with := config.Credential{Account: "anna", BaseURL: "https://service.example/api/v1", Key: config.NewSecret("sk_something")}
	set := func(change func(*config.Credential)) config.Credential { c := with; change(&c); return c }
	command := func(text string) viewing.Message { return viewing.Say("hint.command", "command", text) }
	refused := func(reason, hint string) replay.Health {
		return replay.Health{State: account.Attention, Pause: account.PausedKey, Reason: viewing.Say(reason), Hint: command(hint)}
	}
	const login = "filmspool login"
	address := replay.Health{State: account.Attention, Pause: account.PausedAddress, Reason: viewing.Say("unproven"), Hint: command(login + " --base-url URL")}
	none := replay.Health{State: account.NoKey}
	for _, c := range []struct {
		code, verb string
		h          replay.Health
		with       config.Credential
	}{
		{"", "", replay.Health{State: account.OK}, with},
		{"", "", replay.Health{State: account.Paused, Pause: account.PausedUser}, with},
		{health.KeyMissing, "address", none, config.Credential{Account: "anna"}},
		{health.KeyMissing, "", none, set(func(c *config.Credential) { c.Key = config.Secret{} })},
		{health.KeyMissing, "", none, set(func(c *config.Credential) { c.Key, c.ProvenFor = config.Secret{}, "https://other.example:443" })},
		{health.Unreachable, "", none, with}, // a key was given just now, and the service is being asked
		{health.KeyRefused, "", refused(tracker.KeyRefused, login), with},
		{health.KeyRefused, "", refused(tracker.KeyReadOnly, login), with},
		{health.KeyRefused, "", refused(replay.KeyAnothers, login+", with a key of that person"), with},
		{health.AccessRefused, "", refused("between", "filmspool send --all"), with},
		{health.KeyRefused, "credential", refused(tracker.KeyRefused, login), set(func(c *config.Credential) { c.KeySource = "systemd credential" })},
		{health.AddressWrong, "", address, with},
		{health.AddressWrong, "file", address, set(func(c *config.Credential) { c.URLSource = "/config.toml" })},
		{health.Unreachable, "", replay.Health{State: account.Offline, Reason: viewing.Say("noWay")}, with},
		{health.Unreachable, "", replay.Health{State: account.Offline, Reason: viewing.Say("later"), Throttled: true}, with},
		{health.QueueUnwritable, "", replay.Health{State: account.Attention, Reason: viewing.Say("disk.trouble")}, with},
	} {
		got := standing(c.h, c.with, missing(c.with)).Troubles
		if c.code == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Code != c.code || got[0].About != "anna" || got[0].Act.Verb != c.verb {
			t.Errorf("%s: %+v", c.code, got)
		}
	}
}

// TestAWrongClockIsTold: by the time of the service's last answer.
func TestAWrongClockIsTold(t *testing.T) {
	box, _ := openSandbox(t)
	var off time.Duration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		box.Handler().ServeHTTP(w, r)
	}))
	defer server.Close()
	client, err := tracker.New(tracker.Options{BaseURL: server.URL + "/api/v1", Key: box.SecretKey()})
	must(t, err)
	defer client.Close()
	a := &connection{credential: config.Credential{Account: "anna"}, client: client}
	for _, c := range []struct {
		off  time.Duration
		says string
	}{{0, ""}, {4 * time.Minute, ""}, {-7 * time.Minute, "7 min"}, {2 * time.Hour, "120 min"}, {0, ""}} {
		off = c.off
		client.Probe(t.Context())
		if got := a.clock(); (got == nil) != (c.says == "") || got != nil && (got.Code != health.ClockWrong || got.What.Args["detail"] != c.says) {
			t.Errorf("%s ahead: %+v", c.off, got)
		}
	}
}

// TestALostKeyIsNoDiaryWithoutAService: an account that has delivered once needs its key.
func TestALostKeyIsNoDiaryWithoutAService(t *testing.T) {
	d := runDaemon(t, nil).d
	look := func() control.Account {
		t.Helper()
		s, err := d.Status(t.Context())
		if err != nil || len(s.Accounts) != 1 {
			t.Fatalf("%v %+v", err, s.Accounts)
		}
		return s.Accounts[0]
	}
	if a := look(); !a.Local || a.State != account.OK || len(a.Troubles) != 0 {
		t.Errorf("without a service: %+v", a)
	}
	must(t, d.store.UpdateAccount(t.Context(), "default", func(a *account.Row) { a.LastDelivered = time.Now() }))
	if a := look(); a.Local || a.State != account.Attention || len(codes(a.Troubles)) != 1 || a.Troubles[0].Code != health.KeyMissing {
		t.Errorf("the key is lost: %+v", a)
	}
}
