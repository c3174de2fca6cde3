package service

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	kardianos "github.com/kardianos/service"

	"github.com/filmspool/filmspool/packaging"
	"github.com/filmspool/filmspool/queue/viewing"
)

// launchd controls an agent of the current user or a daemon of the machine. The plist restarts
// the program one minute after any exit, so launchd never reports it as failed.
type launchd struct {
	kardianos.Service
	file, log string
}

func newBackend(o Options) (backend, error) {
	library, kind := "/Library", "LaunchDaemons"
	if !o.System {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("find home: %w", err)
		}
		library, kind = filepath.Join(home, "Library"), "LaunchAgents"
	}
	switch {
	case !o.System && os.Geteuid() == 0:
		return nil, refuse(errors.ErrUnsupported, viewing.Say("service.rootOwn"), "filmspool --system service install")
	case o.Linger:
		return nil, refuse(errors.ErrUnsupported, viewing.Say("service.fromBoot"), Command(true, "service install"))
	}
	l := &launchd{file: filepath.Join(library, kind, Name+".plist"), log: filepath.Join(library, "Logs", "Filmspool.log")}
	var arguments []string
	for _, word := range append([]string{o.Executable}, append(o.Args, "--"+LogFlag+"="+l.log)...) {
		var escaped bytes.Buffer
		_ = xml.EscapeText(&escaped, []byte(word)) // a buffer takes everything
		arguments = append(arguments, "\t\t<string>"+escaped.String()+"</string>")
	}
	text := strings.Replace(packaging.LaunchdPlist, "@ARGUMENTS@", strings.Join(arguments, "\n"), 1)
	if strings.Contains(text, "{{") {
		return nil, errors.New(`a service file cannot have "{{" in a name or folder`) // kardianos would expand it
	}
	var err error
	l.Service, err = kardianos.New(nil, &kardianos.Config{
		Name: Name, Option: kardianos.KeyValue{"UserService": !o.System, "LaunchdConfig": text},
	})
	return l, err
}

// install replaces the plist: kardianos keeps an existing one.
func (l *launchd) install(context.Context) error {
	if err := os.MkdirAll(filepath.Dir(l.file), 0o755); err != nil {
		return fmt.Errorf("install service: %w", err)
	}
	_ = os.Remove(l.file) // it may be missing
	return l.Install()
}

func (l *launchd) uninstall(context.Context) error { return os.Remove(l.file) }
func (l *launchd) start(context.Context) error     { return l.Start() }
func (l *launchd) stop(context.Context) error      { return l.Stop() }

func (l *launchd) status(context.Context) (Status, error) {
	if !exists(l.file) {
		return Status{State: NotInstalled}, nil
	}
	s := Status{Installed: true, Autostart: true, State: Stopped, Unit: l.file}
	state, err := l.Status()
	if state == kardianos.StatusRunning {
		s.State, s.Vague = Running, true
	}
	return s, err
}

func (l *launchd) logs(ctx context.Context, out io.Writer, follow bool) error {
	return showLog(ctx, l.log, out, follow)
}
