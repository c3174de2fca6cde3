package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// local is an installation that runs beside the test, not in a machine.
type local struct {
	t       *testing.T
	words   []string // the program, and before it an emulator if it needs one
	env     []string
	dir     string
	place   *syscall.SysProcAttr // its root folder and who it is; may be nil
	tracker *localTracker
	service *exec.Cmd
}

// localTracker is the sandbox as this machine's own program serves it.
type localTracker struct{ origin string }

// beginTracker starts a tracking service that ends with the test.
func beginTracker(t *testing.T, binary string) *localTracker {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "sandbox", "--listen", "127.0.0.1:0", "--state-dir", t.TempDir(),
		"--secret-key", secretKey, "--public-key", publicKey)
	line := begin(t, cmd, "serving ")
	return &localTracker{origin: strings.TrimSuffix(line, "/api/v1")}
}

// begin starts a command that ends with the test, and waits for the line that
// says it is ready. It returns what follows prefix there.
func begin(t *testing.T, cmd *exec.Cmd, prefix string) string {
	t.Helper()
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s wrote:\n%s", cmd, stderr)
		}
	})
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
			go func() { _, _ = io.Copy(io.Discard, stdout) }() // ends with the command
			return rest
		}
	}
	t.Fatalf("%s never wrote %q", cmd, prefix)
	return ""
}

// history is what the tracking service has recorded.
func (k *localTracker) history(ctx context.Context) ([]json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.origin+"/_sandbox/records", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var records struct{ History []json.RawMessage }
	err = json.NewDecoder(response.Body).Decode(&records)
	return records.History, err
}

// delivered waits until the service has exactly n viewings.
func (k *localTracker) delivered(t *testing.T, n int) {
	t.Helper()
	var last []json.RawMessage
	eventually(t, fmt.Sprintf("delivery of viewing %d", n), time.Minute, func() bool {
		var err error
		last, err = k.history(t.Context())
		return err == nil && len(last) >= n
	})
	if len(last) != n {
		t.Fatalf("the service has %d viewings, want %d: %s", len(last), n, last)
	}
}

func (l *local) command(args ...string) *exec.Cmd {
	words := append(append([]string{}, l.words...), args...)
	cmd := exec.CommandContext(l.t.Context(), words[0], words[1:]...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = l.env, l.dir, l.place
	return cmd
}

// try runs the program and returns what it wrote to standard output.
func (l *local) try(stdin string, args ...string) (string, error) {
	cmd := l.command(args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s%s", cmd, err, out, &stderr)
	}
	return string(out), nil
}

// run runs the program, which has to succeed.
func (l *local) run(stdin string, args ...string) string {
	l.t.Helper()
	out, err := l.try(stdin, args...)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// start starts the service and waits until it is ready.
func (l *local) start(args ...string) {
	l.t.Helper()
	l.service = l.command(args...)
	begin(l.t, l.service, "ready on ")
}

// end ends the service and returns its exit code, -1 after SIGKILL.
func (l *local) end(signal syscall.Signal) int {
	l.t.Helper()
	if err := l.service.Process.Signal(signal); err != nil {
		l.t.Fatal(err)
	}
	_ = l.service.Wait()
	return l.service.ProcessState.ExitCode()
}

// entries are the states of the queue's entries.
func (l *local) entries() (states []string) {
	l.t.Helper()
	var entries []struct{ State string }
	out := l.run("", "queue", "list", "--json")
	if err := json.Unmarshal([]byte(out), &entries); err != nil {
		l.t.Fatalf("queue list: %v: %s", err, out)
	}
	for _, e := range entries {
		states = append(states, e.State)
	}
	return states
}

// settled waits until the program itself knows that all was delivered.
func (l *local) settled() {
	l.t.Helper()
	eventually(l.t, "settled queue", time.Minute, func() bool {
		return !slices.ContainsFunc(l.entries(), func(state string) bool { return state != "delivered" })
	})
}

// folders are the variables of an installation in a folder of its own.
func folders(dir string) []string {
	return []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "FILMSPOOL_STATE_DIR=" + filepath.Join(dir, "state"),
		"FILMSPOOL_LISTEN=127.0.0.1:0", "PATH=" + os.Getenv("PATH"),
	}
}
