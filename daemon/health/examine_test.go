package health_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/service"
	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// machine has a state folder, a configuration and a service manager, but no running instance.
type machine struct {
	*testing.T
	o       daemon.Options
	service service.Status
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir := t.TempDir()
	p := config.Paths{State: filepath.Join(dir, "state"), File: filepath.Join(dir, "config.toml"), Control: filepath.Join(dir, "s")}
	m := &machine{T: t, service: service.Status{State: service.NotInstalled}, o: daemon.Options{
		Paths: p, Getenv: func(string) string { return "" }, Logger: slog.New(slog.DiscardHandler), Source: &config.Source{Paths: p, Getenv: func(string) string { return "" }},
	}}
	m.must(daemon.OfflineCreate(t.Context(), m.loaded(), func(control.API) error { return nil }))
	return m
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// loaded returns the options with the current configuration.
func (m *machine) loaded() daemon.Options {
	m.o.Config, _ = m.o.Source.Load() // Examine gets the errors
	return m.o
}

// writes writes config.toml.
func (m *machine) writes(text string) {
	m.Helper()
	m.must(os.WriteFile(m.o.Paths.File, []byte(text), 0o600))
}

// has calls the API of the queue.
func (m *machine) has(do func(control.API) error) {
	m.Helper()
	m.must(daemon.OfflineExisting(m.Context(), m.loaded(), do))
}

// version sets the version of the database schema and returns the old one.
func (m *machine) version(n int) (was int) {
	m.Helper()
	db, err := sql.Open("sqlite", m.o.Paths.Database())
	m.must(err)
	defer db.Close()
	m.must(db.QueryRow("PRAGMA user_version").Scan(&was))
	_, err = db.Exec(fmt.Sprint("PRAGMA user_version = ", n))
	m.must(err)
	return was
}

// problems returns the codes of all problems.
func (m *machine) problems() (codes []string) {
	m.Helper()
	_, faults := m.o.Source.Load()
	s := health.Examine(m.Context(), health.Examination{
		Paths: m.o.Paths, Faults: faults,
		Ask: func(ctx context.Context) (s control.Status, running bool, err error) {
			if sqlite.IsLocked(m.o.Paths.State) {
				return s, false, sqlite.ErrLocked // after a timeout
			}
			err = daemon.OfflineExisting(ctx, m.loaded(), func(api control.API) (err error) {
				s, err = api.Check(ctx)
				return err
			})
			return s, false, err
		},
		Taken:   func(ctx context.Context) error { return daemon.PortTaken(ctx, m.loaded()) },
		Service: func(context.Context) (service.Status, error) { return m.service, nil },
	})
	for _, p := range s.Problems {
		codes = append(codes, p.Code)
	}
	return codes
}

// Problems appear and disappear with real conditions: each case creates one and returns a
// function that removes it.
func TestProblemsComeAndGoWithTheirConditions(t *testing.T) {
	within := func(then service.Status) func(*machine) func() {
		return func(m *machine) func() {
			now := m.service
			m.service = then
			return func() { m.service = now }
		}
	}
	// held simulates a folder locked by an installed service.
	held := func(then, mended service.Status) func(*machine) func() {
		return func(m *machine) func() {
			lock, err := sqlite.AwaitLock(m.Context(), m.o.Paths.State, time.Second)
			m.must(err)
			m.Cleanup(func() { m.must(lock.Release()) })
			m.service = then
			return func() { m.service = mended }
		}
	}
	well := service.Status{Installed: true, Autostart: true, State: service.Running}
	for code, shows := range map[string]func(*machine) (mend func()){
		health.ConfigInvalid: func(m *machine) func() {
			m.writes("wav = 1")
			return func() { m.writes("burst = 1") }
		},
		health.StateDenied: func(m *machine) func() {
			if runtime.GOOS == "windows" {
				m.Skip("rights are lists there")
			}
			m.must(os.Chmod(m.o.Paths.State, 0o777))
			return func() { m.must(os.Chmod(m.o.Paths.State, 0o700)) }
		},
		health.QueueUnread: func(m *machine) func() {
			was := m.version(999)
			return func() { m.version(was) }
		},
		"notice": func(m *machine) func() {
			m.must(os.WriteFile(m.o.Paths.Database(), []byte("no database any more, alas"), 0o600))
			return func() {
				m.has(func(api control.API) error {
					s, err := api.Status(m.Context())
					for _, n := range s.Notices {
						err = errors.Join(err, api.Acknowledge(m.Context(), n.ID))
					}
					return err
				})
			}
		},
		health.LibraryUnread: func(m *machine) func() {
			folder := filepath.Join(m.TempDir(), "userdata")
			m.writes("[[kodi.libraries]]\nuserdata = '" + folder + "'\n")
			return func() { m.must(kodisim.Create(folder, 131).Close()) }
		},
		health.PortTaken: func(m *machine) func() {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			m.must(err)
			m.writes("listen = '" + l.Addr().String() + "'\n")
			return func() { m.must(l.Close()) }
		},
		health.NotRunning: func(m *machine) func() { return func() { held(well, well)(m) } },
		health.Silent: func(m *machine) func() {
			lock, err := sqlite.AwaitLock(m.Context(), m.o.Paths.State, time.Second)
			m.must(err)
			return func() { m.must(lock.Release()) }
		},
		health.ServiceFailed:  within(service.Status{Installed: true, State: service.Failed}),
		health.ServiceMissing: held(service.Status{State: service.NotInstalled}, well),
		health.ServiceLogout:  held(service.Status{Installed: true, Autostart: true, State: service.Running, UntilLogout: true}, well),
		health.Outdated:       held(service.Status{Installed: true, Autostart: true, State: service.Running, Outdated: true}, well),
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			mend := shows(m)
			if all := m.problems(); !slices.Contains(all, code) {
				t.Fatalf("not shown: %v", all)
			}
			mend()
			if all := m.problems(); slices.Contains(all, code) {
				t.Errorf("not gone: %v", all)
			}
		})
	}
}
