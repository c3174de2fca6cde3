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

// commandPatience is how long a program may take.
const commandPatience = 30 * time.Second

// Command runs a program with a notice's text on its standard input. No shell reads
// the words. FILMSPOOL_CODE has the codes of the problems, with blanks between
// them, and FILMSPOOL_SEVERITY the worst severity.
func Command(words []string) func(context.Context, Notice) error {
	return func(ctx context.Context, n Notice) error {
		return execute(ctx, words, n.Text+"\n",
			"FILMSPOOL_CODE="+strings.Join(n.Codes, " "), "FILMSPOOL_SEVERITY="+string(n.Severity))
	}
}

// execute runs a program with a text and some variables. It ends it, with all that
// it has started, when the time is over. What it prints is not read.
func execute(ctx context.Context, words []string, text string, variables ...string) error {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin = strings.NewReader(text)
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
		return fmt.Errorf("%s did not end within %s", name, commandPatience)
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
