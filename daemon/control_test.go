package daemon

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"runtime"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/page"
	"github.com/filmspool/filmspool/queue/entry"
)

// A state that no entry can have is the asker's mistake, not ours.
func TestUnknownStateIsInvalid(t *testing.T) {
	lost := entry.Filter{State: "lost"}
	for name, ask := range map[string]func(control.API) error{
		"a list":       func(c control.API) error { _, err := c.List(t.Context(), lost); return err },
		"no days":      func(c control.API) error { _, err := c.Days(t.Context(), control.Days{}); return err },
		"days of ages": func(c control.API) error { _, err := c.Days(t.Context(), control.Days{Days: 1 << 40}); return err },
		"an order": func(c control.API) error {
			_, err := c.Operate(t.Context(), control.Order{Verb: control.Drop, Selection: entry.Selection{Filter: lost}})
			return err
		},
	} {
		err := Offline(t.Context(), testOptions(t), ask)
		if !errors.Is(err, &control.Fault{Code: control.CodeInvalid}) || err.Error() == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestEveryQuestionHasAnAnswer: the compiler does not see a field of the API
// that was left out.
func TestEveryQuestionHasAnAnswer(t *testing.T) {
	api := reflect.ValueOf((&Daemon{}).Control())
	for i := range api.NumField() {
		if api.Field(i).IsNil() {
			t.Errorf("nobody answers %s", api.Type().Field(i).Name)
		}
	}
}

// TestSecretOfThePagesStays: that of an earlier version, and the one after all browsers
// were signed out, count after a restart.
func TestSecretOfThePagesStays(t *testing.T) {
	d := wired(testOptions(t))
	for _, size := range []int{page.SecretSize, 2 * page.SecretSize} {
		want := bytes.Repeat([]byte{byte(size)}, size)
		if err := d.keepPageSecret(want); err != nil {
			t.Fatal(err)
		}
		if got, err := d.pageSecret(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("of %d bytes: %x, %v", size, got, err)
		}
	}
}

// TestAnInstanceMendsItsFolder: it tells who else may use its folder, changes nothing
// before it is asked to, and then keeps the folder to itself.
func TestAnInstanceMendsItsFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are lists there")
	}
	o := testOptions(t)
	err := Offline(t.Context(), o, func(c control.API) error {
		for mode, want := range map[os.FileMode]string{0o700: "", 0o755: health.StateOpen, 0o775: health.StateChangeable} {
			if err := os.Chmod(o.Paths.State, mode); err != nil {
				return err
			}
			for _, dry := range []bool{true, false} {
				found, err := c.Mend(t.Context(), control.Mend{DryRun: dry})
				got := ""
				for _, p := range found {
					got += p.Code
				}
				if err != nil || got != want {
					t.Errorf("%o: found %q, %v, want %q", mode, got, err, want)
				}
				info, err := os.Stat(o.Paths.State)
				if err != nil {
					return err
				}
				if now := info.Mode().Perm(); dry && now != mode || !dry && now != 0o700 {
					t.Errorf("%o: it is %o then", mode, now)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
