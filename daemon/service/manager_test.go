package service_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/filmspool/filmspool/daemon/service"
)

func TestNewWantsAnAbsolutePath(t *testing.T) {
	if _, err := service.New(service.Options{Executable: "filmspool"}); err == nil {
		t.Error("a relative path was taken")
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
