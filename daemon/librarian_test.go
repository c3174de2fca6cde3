package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/words"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/queue/account"
)

func TestLibraryLogin(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "keys"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "keys", "kodi-mysql-reader"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLibrarian(config.Keys{Dir: dir, Getenv: func(string) string { return "" }})
	kodis := library.Server{Host: "nas", Port: "3306", Name: "MyVideos"}
	for name, test := range map[string]struct {
		given         *library.Server
		user          string
		want, missing string
	}{
		"as Kodi has it":           {kodis.As("kodi", "kodi"), "", "kodi", ""},
		"another user":             {kodis.As("kodi", "kodi"), "reader", "reader", ""},
		"one without a password":   {kodis.As("kodi", "kodi"), "other", "other", "password"},
		"the password alone":       {kodis.As("reader", ""), "", "reader", ""},
		"a password that is wrong": {kodis.As("reader", "old"), "", "reader", ""},
		"none at all":              {kodis.As("kodi", ""), "", "kodi", "password"},
	} {
		l.add("/"+name, test.user)
		got, err := l.Login("/"+name, *test.given)
		if err != nil || got.User != test.want || got.Missing() != test.missing {
			t.Errorf("%s: got user %q without %q, %v", name, got.User, got.Missing(), err)
		}
	}
}

// Two Kodis, or two profiles, that share a library would tell of every
// playback twice. The same folder has it after every start, for what another
// knew of the library is older.
func TestLibraryIsReadOnce(t *testing.T) {
	l := newLibrarian(config.Keys{Dir: t.TempDir(), Getenv: func(string) string { return "" }})
	l.add("/ann", "")
	l.add("/bob", "")
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

// Status says when a library is not listened to, and what would help.
func TestDeafLibraryIsTold(t *testing.T) {
	const limit = "raise the sysctl fs.inotify.max_user_watches"
	got := kodiSource(kodi.Status{State: kodi.StateOK, Films: 3, Deaf: "no space left on device", Hint: limit})
	if got.State != account.OK || got.Hint != limit || !strings.HasSuffix(got.Detail, "; looked at now and then: no space left on device") {
		t.Errorf("got %+v", got)
	}
	if got := kodiSource(kodi.Status{State: kodi.StateBusy, Deaf: "no space left on device"}); strings.Contains(got.Detail, "looked") {
		t.Errorf("a library that cannot be read now says %s", got.Detail)
	}
}

// A library that is missing needs a person after a while, and says since when.
func TestMissingLibraryIsTold(t *testing.T) {
	s := kodi.Status{State: kodi.StateWaiting, Since: time.Now().Add(-time.Minute), Summary: "Waiting.", Hint: "check it"}
	if got := kodiSource(s); got.State != "waiting" {
		t.Errorf("at a start: %+v", got)
	}
	s.Since = time.Now().Add(-missingAfter)
	got := kodiSource(s)
	if got.State != account.Attention || !strings.HasPrefix(got.Detail, "Waiting, since 2") || got.Hint != "check it" {
		t.Errorf("after a while: %+v", got)
	}
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := health.Judge(catalogue.In(""), health.Conditions{Status: &control.Status{Sources: []control.Source{got}}, Now: time.Now()})
	if all.State != account.Attention || !strings.Contains(all.Summary, "Waiting, since") || all.Hint != "check it" {
		t.Errorf("the whole: %+v", all)
	}
	s.State = kodi.StateBusy
	if got := kodiSource(s); got.State != "waiting" {
		t.Errorf("what passes by itself: %+v", got)
	}
	s.State, s.Since = kodi.StateUnreachable, time.Now().Add(-awayAfter)
	if got := kodiSource(s); got.State != account.Attention || !strings.Contains(got.Detail, ", since ") {
		t.Errorf("a server that is away for a day: %+v", got)
	}
	s.ReadAt = s.Since
	for since, want := range map[time.Duration]account.State{missingAfter / 2: "waiting", missingAfter: account.Attention} {
		s.Since = time.Now().Add(-since) // a restart
		if got := kodiSource(s); got.State != want || got.Troubles[0].Since.After(time.Now().Add(-awayAfter)) != (want == "waiting") {
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
		{kodi.Status{Unwatched: []string{"Kids (/k)"}}, "; not watched: the profile Kids (/k), which", "[[kodi.libraries]]"},
		{kodi.Status{Clock: "Kodi's clock is off", Hint: "set it"}, "; Kodi's clock is off", "set it"},
		{kodi.Status{Writers: []string{"script.trakt"}}, "script.trakt of this Kodi writes here", "queue release --reason review"},
		{kodi.Status{Announcements: scan.Heard}, "; Kodi says what it plays", ""},
		{kodi.Status{Writers: []string{"script.trakt"}, Announcements: scan.Heard}, "what was not seen to be played is held for you: script.trakt", "queue release --reason review"},
		{kodi.Status{Reporters: []string{"script.tracker"}}, "the add-on script.tracker of this Kodi reports", "turn that add-on off"},
	} {
		tt.s.State = kodi.StateOK
		if got := kodiSource(tt.s); got.State != account.OK || !strings.Contains(got.Detail, tt.detail) || !strings.Contains(got.Hint, tt.hint) {
			t.Errorf("got %+v", got)
		}
	}
}
