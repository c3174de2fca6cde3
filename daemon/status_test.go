package daemon

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/replay"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

// codes returns the codes of problems.
func codes(all []control.Problem) (codes []string) {
	for _, t := range all {
		codes = append(codes, t.Code)
	}
	return codes
}

// Each kind of problem with the key, the address and the service has its own code.
func TestAccountProblems(t *testing.T) {
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
		{health.Unreachable, "", none, with}, // the key was just entered and is being checked
		{health.KeyRefused, "", refused(tracker.KeyRefused, login), with},
		{health.KeyRefused, "", refused(tracker.KeyReadOnly, login), with},
		{health.KeyRefused, "", refused(replay.KeyOtherUser, login+", with a key of that person"), with},
		{health.AccessRefused, "", refused("between", "filmspool send --all"), with},
		{health.KeyRefused, "credential", refused(tracker.KeyRefused, login), set(func(c *config.Credential) { c.KeySource = "systemd credential" })},
		{health.AddressWrong, "", address, with},
		{health.AddressWrong, "file", address, set(func(c *config.Credential) { c.URLSource = "/config.toml" })},
		{health.Unreachable, "", replay.Health{State: account.Offline, Reason: viewing.Say("noWay")}, with},
		{health.Unreachable, "", replay.Health{State: account.Offline, Reason: viewing.Say("later"), Throttled: true}, with},
		{health.QueueUnwritable, "", replay.Health{State: account.Attention, Reason: viewing.Say("disk.trouble")}, with},
	} {
		got := accountFromHealth(c.h, c.with, missingCredential(c.with)).Troubles
		if c.code == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Code != c.code || got[0].About != "anna" || got[0].Act.Verb != c.verb {
			t.Errorf("%s: %+v", c.code, got)
		}
	}
}

// A wrong clock is detected from the service's last answer.
func TestWrongClockIsReported(t *testing.T) {
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
		if got := a.clockProblem(); (got == nil) != (c.says == "") || got != nil && (got.Code != health.ClockWrong || got.What.Args["detail"] != c.says) {
			t.Errorf("%s ahead: %+v", c.off, got)
		}
	}
}

// An account that has delivered before needs a key; it is not a diary without a service.
func TestMissingKeyAfterDeliveryIsAProblem(t *testing.T) {
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

func TestLibraryLogin(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "keys"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "keys", "kodi-mysql-reader"), []byte("secret"), 0o600))
	keys := config.Keys{Dir: dir, Getenv: func(string) string { return "" }}
	kodis := library.Server{Host: "127.0.0.1", Port: "1", Name: "MyVideos"} // no server listens at this port
	for name, test := range map[string]struct {
		given      *library.Server
		user, want string
		err        error
	}{
		"as Kodi has it":           {kodis.WithUser("kodi", "kodi"), "", "kodi", library.ErrServerAway},
		"another user":             {kodis.WithUser("kodi", "kodi"), "reader", "reader", library.ErrServerAway},
		"one without a password":   {kodis.WithUser("kodi", "kodi"), "other", "other", library.ErrMySQL},
		"the password alone":       {kodis.WithUser("reader", ""), "", "reader", library.ErrServerAway},
		"a password that is wrong": {kodis.WithUser("reader", "old"), "", "reader", library.ErrServerAway},
		"none at all":              {kodis.WithUser("kodi", ""), "", "kodi", library.ErrMySQL},
	} {
		l := &libraryAccess{keys: keys, config: config.Config{Kodi: config.Kodi{Libraries: []config.Library{{Userdata: "/" + name, MySQLUser: test.user}}}}}
		got, err := l.Login("/"+name, *test.given)
		if err != nil || got.User != test.want {
			t.Errorf("%s: got user %q, %v", name, got.User, err)
		}
		if _, err := (library.Database{Server: got}).Checksum(t.Context()); !errors.Is(err, test.err) {
			t.Errorf("%s: asked with %v, want %v", name, err, test.err)
		}
	}
}

// Two Kodis or profiles with the same library would report every playback twice, so only one
// folder gets it, the same one after every start.
func TestLibraryBelongsToOneFolder(t *testing.T) {
	kodis := config.Kodi{Libraries: []config.Library{{Userdata: "/ann"}, {Userdata: "/bob"}}}
	l := &libraryAccess{config: config.Config{Kodi: kodis}, claims: map[string]string{}}
	for _, step := range []struct {
		userdata, origin string
		want             error
	}{
		{"/bob", "nas", nil}, // the other has not claimed it yet
		{"/ann", "nas", nil},
		{"/bob", "nas", library.ErrShared},
		{"/ann", "nas", nil},
		{"/bob", "attic", nil},
		{"/ann", "cellar", nil}, // its settings changed
		{"/bob", "nas", nil},
		{"/ann", "nas", nil},
		{"/bob", "nas", library.ErrShared},
	} {
		if err := l.Claim(step.userdata, step.origin); !errors.Is(err, step.want) {
			t.Errorf("%+v: got %v", step, err)
		}
	}
}

// details returns the codes of a source's details.
func details(s control.Source) (codes []string) {
	for _, m := range s.Details {
		codes = append(codes, m.Code)
	}
	return codes
}

// A missing library becomes a problem after some time, with the start of the condition.
func TestMissingLibraryIsReported(t *testing.T) {
	s := kodi.Status{State: kodi.StateWaiting, Since: time.Now().Add(-time.Minute), Problem: viewing.Say("library.waitingAppear"), Hint: viewing.Say("hint.checkUserdata")}
	if got := kodiSource(s, ""); got.State != "waiting" {
		t.Errorf("at a start: %+v", got)
	}
	s.Since = time.Now().Add(-missingDelay)
	got := kodiSource(s, "")
	if got.State != account.Attention || !slices.Equal(details(got), []string{"library.waitingAppear", "sinceThen"}) || got.Hint.Code != "hint.checkUserdata" {
		t.Errorf("after a while: %+v", got)
	}
	all := health.Evaluate(health.Conditions{Status: &control.Status{Sources: []control.Source{got}}, Now: time.Now()})
	if len(all) == 0 || all[0].Code != health.LibraryUnread {
		t.Errorf("the whole: %+v", all)
	}
	s.State = kodi.StateBusy
	if got := kodiSource(s, ""); got.State != "waiting" {
		t.Errorf("what passes by itself: %+v", got)
	}
	s.State, s.Since = kodi.StateUnreachable, time.Now().Add(-unreachableDelay)
	if got := kodiSource(s, ""); got.State != account.Attention || !slices.Contains(details(got), "sinceThen") {
		t.Errorf("a server that is away for a day: %+v", got)
	}
	s.ReadAt = s.Since
	for since, want := range map[time.Duration]account.State{missingDelay / 2: "waiting", missingDelay: account.Attention} {
		s.Since = time.Now().Add(-since) // a restart
		if got := kodiSource(s, ""); got.State != want || got.Troubles[0].Since.After(time.Now().Add(-unreachableDelay)) != (want == "waiting") {
			t.Errorf("%v after a restart: %+v, want %s", since, got, want)
		}
	}
}

// Facts about a Kodi are shown with their remedies.
func TestLibraryDetails(t *testing.T) {
	for _, tt := range []struct {
		s            kodi.Status
		detail, hint string
	}{
		{kodi.Status{Unwatched: []string{"Kids (/k)"}}, "unwatched", "hint.profile"},
		{kodi.Status{Writers: []string{"script.trakt"}}, "writers", "hint.releaseReview"},
		{kodi.Status{Announcing: true}, "announced", ""},
		{kodi.Status{Writers: []string{"script.trakt"}, Announcing: true}, "writersHeard", "hint.releaseReview"},
		{kodi.Status{Reporters: []string{"script.tracker"}}, "reporters", "hint.addonOff"},
	} {
		tt.s.State = kodi.StateOK
		if got := kodiSource(tt.s, ""); got.State != account.OK || !slices.Contains(details(got), tt.detail) || got.Hint.Code != tt.hint {
			t.Errorf("got %+v", got)
		}
	}
}
