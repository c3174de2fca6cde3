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

func TestHostRunsTheProgram(t *testing.T) {
	failed := errors.New("failed")
	err := service.Host(t.Context(), "", func(context.Context) error { return failed })
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := service.Host(t.Context(), service.HostSCM, nil); err == nil {
		t.Error("the Windows service manager was believed to be here")
	}
}
