package daemon

import (
	"errors"
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
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestLibraryLogin(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "keys"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "keys", "kodi-mysql-reader"), []byte("secret"), 0o600))
	keys := config.Keys{Dir: dir, Getenv: func(string) string { return "" }}
	kodis := library.Server{Host: "127.0.0.1", Port: "1", Name: "MyVideos"} // no server listens there
	for name, test := range map[string]struct {
		given      *library.Server
		user, want string
		err        error
	}{
		"as Kodi has it":           {kodis.As("kodi", "kodi"), "", "kodi", library.ErrServerAway},
		"another user":             {kodis.As("kodi", "kodi"), "reader", "reader", library.ErrServerAway},
		"one without a password":   {kodis.As("kodi", "kodi"), "other", "other", library.ErrMySQL},
		"the password alone":       {kodis.As("reader", ""), "", "reader", library.ErrServerAway},
		"a password that is wrong": {kodis.As("reader", "old"), "", "reader", library.ErrServerAway},
		"none at all":              {kodis.As("kodi", ""), "", "kodi", library.ErrMySQL},
	} {
		l := &libraryAccess{keys: keys, config: config.Config{Kodi: config.Kodi{Libraries: []config.Library{{Userdata: "/" + name, MySQLUser: test.user}}}}}
		got, err := l.Login("/"+name, *test.given)
		if err != nil || got.User != test.want {
			t.Errorf("%s: got user %q, %v", name, got.User, err)
		}
		if _, err := (library.Database{Server: got}).Mark(t.Context()); !errors.Is(err, test.err) {
			t.Errorf("%s: asked with %v, want %v", name, err, test.err)
		}
	}
}

// Two Kodis, or two profiles, that share a library would tell of every
// playback twice. The same folder has it after every start, for what another
// knew of the library is older.
func TestLibraryIsReadOnce(t *testing.T) {
	kodis := config.Kodi{Libraries: []config.Library{{Userdata: "/ann"}, {Userdata: "/bob"}}}
	l := &libraryAccess{config: config.Config{Kodi: kodis}, taken: map[string]string{}}
	for _, step := range []struct {
		userdata, origin string
		want             error
	}{
		{"/bob", "nas", nil}, // the other has not asked yet
		{"/ann", "nas", nil},
		{"/bob", "nas", library.ErrShared},
		{"/ann", "nas", nil},
		{"/bob", "attic", nil},
		{"/ann", "cellar", nil}, // its settings have changed
		{"/bob", "nas", nil},
		{"/ann", "nas", nil},
		{"/bob", "nas", library.ErrShared},
	} {
		if err := l.Claim(step.userdata, step.origin); !errors.Is(err, step.want) {
			t.Errorf("%+v: got %v", step, err)
		}
	}
}

// details are the codes of what a source tells.
func details(s control.Source) (codes []string) {
	for _, m := range s.Details {
		codes = append(codes, m.Code)
	}
	return codes
}

// A library that is missing needs a person after a while, and says since when.
func TestMissingLibraryIsTold(t *testing.T) {
	s := kodi.Status{State: kodi.StateWaiting, Since: time.Now().Add(-time.Minute), Problem: viewing.Say("library.waitingAppear"), Hint: viewing.Say("hint.checkUserdata")}
	if got := kodiSource(s, ""); got.State != "waiting" {
		t.Errorf("at a start: %+v", got)
	}
	s.Since = time.Now().Add(-missingAfter)
	got := kodiSource(s, "")
	if got.State != account.Attention || !slices.Equal(details(got), []string{"library.waitingAppear", "sinceThen"}) || got.Hint.Code != "hint.checkUserdata" {
		t.Errorf("after a while: %+v", got)
	}
	all := health.Judge(health.Conditions{Status: &control.Status{Sources: []control.Source{got}}, Now: time.Now()})
	if len(all) == 0 || all[0].Code != health.LibraryUnread {
		t.Errorf("the whole: %+v", all)
	}
	s.State = kodi.StateBusy
	if got := kodiSource(s, ""); got.State != "waiting" {
		t.Errorf("what passes by itself: %+v", got)
	}
	s.State, s.Since = kodi.StateUnreachable, time.Now().Add(-awayAfter)
	if got := kodiSource(s, ""); got.State != account.Attention || !slices.Contains(details(got), "sinceThen") {
		t.Errorf("a server that is away for a day: %+v", got)
	}
	s.ReadAt = s.Since
	for since, want := range map[time.Duration]account.State{missingAfter / 2: "waiting", missingAfter: account.Attention} {
		s.Since = time.Now().Add(-since) // a restart
		if got := kodiSource(s, ""); got.State != want || got.Troubles[0].Since.After(time.Now().Add(-awayAfter)) != (want == "waiting") {
			t.Errorf("%v after a restart: %+v, want %s", since, got, want)
		}
	}
}

// What is known of a Kodi beside its library is told, with what helps.
func TestWhatIsAroundALibraryIsTold(t *testing.T) {
	for _, tt := range []struct {
		s            kodi.Status
		detail, hint string
	}{
		{kodi.Status{Unwatched: []string{"Kids (/k)"}}, "unwatched", "hint.profile"},
		{kodi.Status{Writers: []string{"script.trakt"}}, "writers", "hint.releaseReview"},
		{kodi.Status{Heard: true}, "announced", ""},
		{kodi.Status{Writers: []string{"script.trakt"}, Heard: true}, "writersHeard", "hint.releaseReview"},
		{kodi.Status{Reporters: []string{"script.tracker"}}, "reporters", "hint.addonOff"},
	} {
		tt.s.State = kodi.StateOK
		if got := kodiSource(tt.s, ""); got.State != account.OK || !slices.Contains(details(got), tt.detail) || got.Hint.Code != tt.hint {
			t.Errorf("got %+v", got)
		}
	}
}
