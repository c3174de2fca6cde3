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
	err := service.Run(t.Context(), []string{"filmspool", "run"}, func(context.Context) error { return failed })
	if !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	args := []string{"filmspool", "run", "--" + service.HostFlag + "=" + service.HostSCM}
	if err := service.Run(t.Context(), args, nil); err == nil {
		t.Error("the Windows service manager was believed to be here")
	}
}
