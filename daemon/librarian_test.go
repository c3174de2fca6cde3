package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/status"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/kodi/library"
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
		got, err := l.login(test.user, *test.given)
		if err != nil || got.User != test.want || got.Missing() != test.missing {
			t.Errorf("%s: got user %q without %q, %v", name, got.User, got.Missing(), err)
		}
	}
}

// Two Kodis, or two profiles, that share a library would tell of every
// playback twice. The same folder has it after every start, for what another
// knew of the library is older.
func TestLibraryIsReadOnce(t *testing.T) {
	l := newLibrarian(config.Keys{Dir: t.TempDir(), Getenv: func(string) string { return "" }}, "/ann", "/bob")
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
		if err := l.claim(step.userdata, step.origin); !errors.Is(err, step.want) {
			t.Errorf("%+v: got %v", step, err)
		}
	}
}

// Status says when a library is not listened to, and what would help.
func TestDeafLibraryIsTold(t *testing.T) {
	const limit = "raise the sysctl fs.inotify.max_user_watches"
	got := kodiSource(kodi.Status{State: kodi.StateOK, Films: 3, Deaf: "no space left on device", Hint: limit})
	if got.State != status.OK || got.Hint != limit || !strings.HasSuffix(got.Detail, "; looked at now and then: no space left on device") {
		t.Errorf("got %+v", got)
	}
	if got := kodiSource(kodi.Status{State: kodi.StateBusy, Deaf: "no space left on device"}); strings.Contains(got.Detail, "looked") {
		t.Errorf("a library that cannot be read now says %s", got.Detail)
	}
}
