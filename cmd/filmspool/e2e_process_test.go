package main

import (
	"bufio"
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

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// household is a folder in which the real program runs as a user would run it.
type household struct {
	t    testing.TB
	dir  string
	env  []string   // besides the usual
	said transcript // all that its programs have printed
}

// newHousehold makes an empty one. When its test ends, nothing it has printed
// or written may hold the key.
func newHousehold(t *testing.T) *household {
	t.Helper()
	h := &household{t: t, dir: t.TempDir()}
	t.Cleanup(h.keepsItsKey)
	return h
}

// makeQueue makes an empty queue in a folder: what is added is refused where
// there is none.
func makeQueue(t *testing.T, state string) (path string) {
	t.Helper()
	path = filepath.Join(state, "filmspool.db")
	err := os.MkdirAll(state, 0o700)
	if err == nil {
		var s *queue.Store
		if s, err = queue.Open(t.Context(), queue.Options{Path: path}); err == nil {
			err = s.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// command prepares the program; TestMain has put it on the PATH.
func (h *household) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "filmspool", args...)
	cmd.Env = append(os.Environ(),
		"HOME="+h.dir, "XDG_CONFIG_HOME="+filepath.Join(h.dir, "config"),
		"FILMSPOOL_STATE_DIR="+filepath.Join(h.dir, "state"), "FILMSPOOL_LISTEN=127.0.0.1:0",
		"DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=") // nothing is shown on the desktop of who tests
	cmd.Env = append(cmd.Env, h.env...)
	return cmd
}

// do runs one command to its end and returns what it printed.
func (h *household) do(stdin string, args ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	cmd := h.command(ctx, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	h.said.add(out)
	if err != nil {
		h.t.Fatalf("filmspool %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// process is the program in the background.
type process struct {
	cmd     *exec.Cmd
	address string          // host and port
	log     strings.Builder // what it wrote to standard error; read it after the end
	waited  bool
}

// start runs a command that serves, and waits for its address.
func (h *household) start(args ...string) *process {
	h.t.Helper()
	return h.serve(h.command(context.WithoutCancel(h.t.Context()), args...))
}

// serve starts what serves, and waits for its address.
func (h *household) serve(cmd *exec.Cmd) *process {
	h.t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	p := &process{cmd: cmd}
	cmd.Stderr = io.MultiWriter(&p.log, &h.said)
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(p.kill)
	said := io.Writer(&h.said)
	if slices.Contains(cmd.Args, "sandbox") {
		said = io.Discard // a service tells its own keys: that is its trade
	}
	lines := bufio.NewScanner(io.TeeReader(out, said))
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "http://"); ok {
			p.address, _, _ = strings.Cut(address, "/")
			go io.Copy(said, out)
			return p
		}
	}
	p.kill()
	h.t.Fatalf("%v did not start:\n%s", cmd.Args, p.log.String())
	return nil
}

// kill is kill -9.
func (p *process) kill() { p.end(syscall.SIGKILL) }

// end sends a signal and waits for the end.
func (p *process) end(s os.Signal) {
	if p.waited {
		return
	}
	p.waited = true
	_ = p.cmd.Process.Signal(s) // it may have ended by itself
	_ = p.cmd.Wait()            // a killed process has no other answer
}

// records is what the sandbox at address has.
func (h *household) records(address string) sandbox.Records {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "http://"+address+"/_sandbox/records", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	var records sandbox.Records
	if err := json.NewDecoder(answer.Body).Decode(&records); err != nil {
		h.t.Fatal(err)
	}
	return records
}

// until asks again and again until good says yes.
func (h *household) until(what string, good func() bool) {
	h.t.Helper()
	h.within(patience, what, good)
}

// within waits for at most a time until something is so.
func (h *household) within(most time.Duration, what string, good func() bool) {
	h.t.Helper()
	limit := time.After(most)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !good() {
		select {
		case <-limit:
			h.t.Fatalf("%s did not happen within %v; status:\n%s", what, most, h.try("status"))
		case <-tick.C:
		}
	}
}

// try runs one command and returns what it printed, whatever its exit code.
func (h *household) try(args ...string) string {
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	out, err := h.command(ctx, args...).CombinedOutput()
	h.said.add(out)
	return fmt.Sprintf("%s(%v)", out, err)
}

// delivered waits until n entries are delivered.
func (h *household) delivered(n int) {
	h.t.Helper()
	h.until(fmt.Sprintf("delivery of %d", n), func() bool {
		return strings.Contains(h.try("status", "--json"), fmt.Sprintf(`"delivered": %d,`, n))
	})
}

// code is a pairing code, as "filmspool pair" shows it.
func (h *household) code() string {
	h.t.Helper()
	var code struct{ Code string }
	if err := json.Unmarshal([]byte(h.do("", "pair", "--json")), &code); err != nil {
		h.t.Fatal(err)
	}
	return code.Code
}
