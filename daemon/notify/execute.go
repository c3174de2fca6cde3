//go:build darwin || windows

package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// desktopTimeout is how long the desktop may take.
const desktopTimeout = 30 * time.Second

// execute runs a program with some variables. It ends it, with all that
// it has started, when the time is over. What it prints is not read.
func execute(ctx context.Context, words []string, variables ...string) error {
	ctx, cancel := context.WithTimeout(ctx, desktopTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ours), variables...)
	cmd.WaitDelay = time.Second
	apart(cmd)
	err := cmd.Run()
	name := filepath.Base(words[0])
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end within %s", name, desktopTimeout)
	case ended:
		return fmt.Errorf("%s failed: %s", name, exit.ProcessState)
	default:
		return fmt.Errorf("%s cannot be started: %w", name, err)
	}
}

// ours reports a variable that is for this process alone: keys among them.
func ours(variable string) bool {
	for _, name := range []string{"FILMSPOOL_", "CREDENTIALS_DIRECTORY=", "NOTIFY_SOCKET=", "WATCHDOG_"} {
		if strings.HasPrefix(variable, name) {
			return true
		}
	}
	return false
}
