package service_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/service"
)

func TestNewWantsAnAbsolutePath(t *testing.T) {
	if _, err := service.New(service.Options{Executable: "filmspool"}); err == nil {
		t.Error("a relative path was taken")
	}
}

// A container without systemd is not told to start a service that it cannot have.
func TestStartHintInAContainer(t *testing.T) {
	t.Setenv("container", "podman")
	_, err := os.Stat("/run/systemd/system")
	for _, system := range []bool{false, true} {
		if hint := service.StartHint(system); strings.Contains(hint, "service start") != (err == nil) {
			t.Errorf("system %v: %q", system, hint)
		}
	}
}

func TestRunRunsTheProgram(t *testing.T) {
	failed := errors.New("failed")
	p := service.Program{Args: []string{"filmspool", "run"}, Run: func(_ context.Context, h service.Host) error {
		h.Ready()
		if h.Log != nil {
			t.Error("standard error is not read here")
		}
		return failed
	}}
	if err := service.Run(t.Context(), p); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	p.Args = append(p.Args, "--"+service.HostFlag+"="+service.HostSCM)
	if err := service.Run(t.Context(), p); err == nil || errors.Is(err, failed) {
		t.Error("the Windows service manager was believed to be here")
	}
}
