package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	kardianos "github.com/kardianos/service"
)

const (
	// startPatience is how long a service may take until it can be used: a
	// database may have to be brought up to date first.
	startPatience = 2 * time.Minute
	// settling is how long after a start what can be seen of a service may
	// still be of before, and silence, how long one may leave no trace.
	settling = time.Second
	silence  = 30 * time.Second
	// stopPatience is how long a program may take to end that was asked to.
	stopPatience = 30 * time.Second
	// logLines is how much of a log is shown.
	logLines = 200
)

// newKardianos prepares kardianos/service; options are its per-system ones. It
// would read "{{" in a text of ours as its own template language.
func newKardianos(o Options, account string, options kardianos.KeyValue) (kardianos.Service, error) {
	for _, value := range options {
		if text, ok := value.(string); ok && strings.Contains(text, "{{") {
			return nil, errors.New(`a service file cannot have "{{" in a name or folder`)
		}
	}
	svc, err := kardianos.New(nil, &kardianos.Config{
		Name:        Name,
		DisplayName: "Filmspool",
		Description: "Keeps what you watched until your tracking service has it",
		UserName:    account,
		Executable:  o.Executable,
		Arguments:   o.Args,
		Option:      options,
	})
	if errors.Is(err, kardianos.ErrNoServiceSystemDetected) {
		return nil, noManager("no service manager is running here; start it with: filmspool run")
	}
	if err != nil {
		return nil, fmt.Errorf("prepare service: %w", err)
	}
	return svc, nil
}

// driver is one service manager: the verbs of [kardianos.Service], and what
// that does not tell.
type driver interface {
	Install() error
	Uninstall() error
	Start() error
	Stop() error
	// state is what can be seen; a service that is not installed is a state.
	state() (Status, error)
	logs(ctx context.Context, out io.Writer, follow bool) error
}

// managed is the backend for every manager but systemd. It makes verbs that
// may be said twice, and that wait until they are done, of a driver's.
type managed struct {
	driver
	o    Options
	euid int
	// vague: "running" says nothing of the program, which may not be ready yet,
	// or be dead until the manager starts it again. The program is asked.
	vague bool
}

// mayChange refuses what the manager would: the machine's services are root's.
func (m *managed) mayChange(verb string) error {
	if !m.o.System || m.euid <= 0 { // -1 on Windows, which says so itself
		return nil
	}
	return rootOnly(verb)
}

func (m *managed) install(ctx context.Context) error {
	if err := checkExecutable(m.o.Executable); err != nil {
		return err
	}
	if m.o.User != "" {
		return &Error{
			What:   "this machine's service runs as a user of its own; only systemd can run it as " + m.o.User,
			Cause:  errors.ErrUnsupported,
			Advice: Command(true, "service install") + ", and let the group filmspool read the Kodi folder",
		}
	}
	if err := m.mayChange("install"); err != nil {
		return err
	}
	return m.do(ctx, "install", m.Install)
}

// uninstall waits until the manager has forgotten the service. One that a
// package brought is only switched off.
func (m *managed) uninstall(ctx context.Context) error {
	if err := m.mayChange("uninstall"); err != nil {
		return err
	}
	s, err := m.state()
	if err != nil || !s.Installed {
		return err
	}
	if err := m.stop(ctx); err != nil {
		return err
	}
	failed := m.do(ctx, "uninstall", m.Uninstall)
	return await(ctx, "uninstall", stopPatience, func() (bool, error) {
		s, err := m.state()
		there := s.Installed && s.Autostart
		if err == nil && there {
			err = failed
		}
		return !there, err
	})
}

func (m *managed) start(ctx context.Context) error {
	s, err := m.installed(ctx, "start")
	if err != nil || s.State == Running {
		return err
	}
	if s.State != Starting {
		_ = m.do(ctx, "stop", m.Stop) // what is left of an earlier one would be in its way
		err := m.do(ctx, "start", m.Start)
		if _, told := errors.AsType[*Error](err); err != nil && !told {
			return &Error{What: err.Error(), Cause: err, Advice: command(m.o.System, "service logs")}
		}
		if err != nil {
			return err
		}
	}
	begun := time.Now()
	return await(ctx, "start", startPatience, func() (bool, error) {
		s, err := m.status(ctx)
		if err != nil || s.State == Running {
			return err != nil || m.ask(ctx, s) == nil, err
		}
		ended := s.State == Failed || s.State == Restarting
		if took := time.Since(begun); ended && took > settling || s.State == Stopped && took > silence {
			what := "the service ended as it started: " + cmp.Or(s.Detail, "it said nothing")
			return false, &Error{What: what, Cause: errEnded, Advice: cmp.Or(s.Hint, command(m.o.System, "service logs"))}
		}
		return false, nil
	})
}

// stop forgives a manager that finds nothing to stop.
func (m *managed) stop(ctx context.Context) error {
	s, err := m.installed(ctx, "stop")
	if err != nil || s.State == Stopped {
		return err
	}
	failed := m.do(ctx, "stop", m.Stop)
	return await(ctx, "stop", stopPatience, func() (bool, error) {
		s, err := m.state()
		down := s.State == Stopped || s.State == Failed
		if err == nil && !down {
			err = failed
		}
		return down, err
	})
}

func (m *managed) restart(ctx context.Context) error {
	if err := m.stop(ctx); err != nil {
		return err
	}
	return m.start(ctx)
}

// installed is the status of a service that has to be installed.
func (m *managed) installed(ctx context.Context, verb string) (Status, error) {
	if err := m.mayChange(verb); err != nil {
		return Status{}, err
	}
	s, err := m.status(ctx)
	if err == nil && !s.Installed {
		err = notInstalled(m.o.System)
	}
	return s, err
}

func (m *managed) status(ctx context.Context) (Status, error) {
	s, err := m.state()
	if err != nil {
		return Status{}, err
	}
	if errors.Is(m.ask(ctx, s), ErrNotRunning) {
		s.State = Starting
		if s.Detail != "" {
			s.State = Restarting
		}
	}
	switch s.State {
	case Running, Starting:
		s.Detail = ""
	case Stopped:
		s.Hint = Command(m.o.System, "service start")
	case Failed, Restarting:
		s.Hint = Command(m.o.System, "service logs")
		if strings.Contains(s.Detail, "bad configuration: ") {
			s.Hint = command(m.o.System, "config check")
		}
	}
	return s, nil
}

// ask asks the program whether it runs, where "running" is vague and it would
// answer: others may not ask the machine's.
func (m *managed) ask(ctx context.Context, s Status) error {
	if !m.vague || m.o.Ask == nil || s.State != Running || m.o.System && m.euid > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	_, err := m.o.Ask(ctx)
	return err
}

// do gives up when ctx ends: kardianos waits without end for a Windows service
// that does not stop. The call it leaves behind ends with the program.
func (m *managed) do(ctx context.Context, name string, act func() error) error {
	done := make(chan error, 1)
	go func() { done <- act() }()
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s service: %w", name, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s service: %w", name, ctx.Err())
	}
}

// await asks until the answer is yes or an error.
func await(ctx context.Context, verb string, patience time.Duration, yes func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := yes(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s service: it took longer than %v", verb, patience)
		}
	}
}

func newManaged(o Options, d driver, vague bool) *managed {
	return &managed{driver: d, o: o, euid: os.Geteuid(), vague: vague}
}
