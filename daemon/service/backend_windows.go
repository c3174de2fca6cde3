package service

import (
	"fmt"
	"slices"
	"time"

	kardianos "github.com/kardianos/service"
	"golang.org/x/sys/windows/svc/mgr"
)

// newBackend is the service manager for the whole machine, and the Run key of
// the registry for one person: a Windows service sees neither that person's
// Kodi library nor what they keep under their own login.
func newBackend(o Options) (backend, error) {
	if !o.System {
		return newLogin(o), nil
	}
	o.Args = append(slices.Clip(o.Args), "--"+HostFlag+"="+HostSCM)
	f, err := newForeign(o, kardianos.KeyValue{"DelayedAutoStart": true}, traces{})
	if err != nil {
		return nil, err
	}
	f.configure = setRecovery
	return f, nil
}

// setRecovery has a service that fails started again, twice at growing
// distance; kardianos sets none, and would not for an orderly end with an
// error.
func setRecovery() error {
	m, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("ask service manager: %w", err)
	}
	defer func() { _ = m.Disconnect() }()
	s, err := m.OpenService(Name)
	if err != nil {
		return fmt.Errorf("open service: %w", err)
	}
	defer s.Close()
	day := uint32((24 * time.Hour).Seconds())
	actions := []mgr.RecoveryAction{
		{Type: mgr.ServiceRestart, Delay: 5 * time.Second},
		{Type: mgr.ServiceRestart, Delay: time.Minute},
		{Type: mgr.NoAction},
	}
	if err := s.SetRecoveryActions(actions, day); err != nil {
		return fmt.Errorf("set recovery: %w", err)
	}
	if err := s.SetRecoveryActionsOnNonCrashFailures(true); err != nil {
		return fmt.Errorf("set recovery: %w", err)
	}
	return nil
}
