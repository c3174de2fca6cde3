package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing"
)

// fixture is a folder in which the real program runs as for a user. Commands are separate
// processes; the daemon is observed through its control API.
type fixture struct {
	t    testing.TB
	dir  string
	env  []string   // added to the usual environment
	said transcript // all output of its programs
}

// newFixture creates an empty one. At the end of the test it searches all output and files for
// the key.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{t: t, dir: t.TempDir()}
	t.Cleanup(h.keepsItsKey)
	return h
}

// must fails the test if a preparation failed.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// configure writes a configuration file for all programs.
func (h *fixture) configure(format string, args ...any) {
	h.t.Helper()
	file := filepath.Join(h.dir, "config.toml")
	must(h.t, os.WriteFile(file, fmt.Appendf(nil, format, args...), 0o600))
	h.env = append(h.env, "FILMSPOOL_CONFIG="+file)
}

// makeQueue creates an empty queue in a state folder.
func makeQueue(t *testing.T, state string) (path string) {
	t.Helper()
	path = filepath.Join(state, "filmspool.db")
	must(t, os.MkdirAll(state, 0o700))
	s, err := queue.Open(t.Context(), queue.Options{Path: path})
	must(t, err)
	must(t, s.Close())
	return path
}

// environ returns the environment of the programs.
func (h *fixture) environ() []string {
	return append(append(os.Environ(),
		"HOME="+h.dir, "XDG_CONFIG_HOME="+filepath.Join(h.dir, "config"),
		"FILMSPOOL_STATE_DIR="+filepath.Join(h.dir, "state"), "FILMSPOOL_LISTEN=127.0.0.1:0",
		"DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR=", // so that no notice appears on the desktop
		"LC_ALL=", "LC_MESSAGES=", "LANG="),
		h.env...)
}

func (h *fixture) getenv(name string) string {
	for _, e := range slices.Backward(h.environ()) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// command returns a command of the program, which TestMain has put on the PATH.
func (h *fixture) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "filmspool", args...)
	cmd.Env = h.environ()
	return cmd
}

// try runs a command and returns its output and exit code.
func (h *fixture) try(args ...string) (string, int) {
	h.t.Helper()
	return h.pipe("", args...)
}

// pipe is try with a standard input.
func (h *fixture) pipe(stdin string, args ...string) (string, int) {
	h.t.Helper()
	out, problems, code := h.run(stdin, args...)
	return out + problems, code
}

// do runs a command that must succeed and returns its standard output.
func (h *fixture) do(stdin string, args ...string) string {
	h.t.Helper()
	out, problems, code := h.run(stdin, args...)
	if code != exitDone {
		h.t.Fatalf("filmspool %v: exit %d\n%s%s", args, code, out, problems)
	}
	return out
}

// run runs a command and returns its standard output, standard error and exit code.
func (h *fixture) run(stdin string, args ...string) (out, problems string, code int) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := h.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	h.said.add(stdout.Bytes())
	h.said.add(stderr.Bytes())
	if cmd.ProcessState == nil {
		h.t.Fatalf("filmspool %v: %v", args, err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// login logs in to a service with the valid key.
func (h *fixture) login(baseURL string) {
	h.t.Helper()
	h.do(secretKey, "login", "--base-url", baseURL, "--key-stdin")
}

// process is the program in the background.
type process struct {
	cmd     *exec.Cmd
	address string          // host and port
	log     strings.Builder // its standard error; read it after the end
	waited  bool
}

func (p *process) baseURL() string { return "http://" + p.address + "/api/v1" }

// start starts a command that serves, and waits for its address.
func (h *fixture) start(args ...string) *process {
	h.t.Helper()
	return h.serve(h.command(context.WithoutCancel(h.t.Context()), args...))
}

// sandbox runs the sandbox in a separate process.
func (h *fixture) sandbox(listen string, more ...string) *process {
	h.t.Helper()
	return h.start(append([]string{"sandbox", "--listen", listen, "--state-dir", h.dir + "/box", "--secret-key", secretKey}, more...)...)
}

// serve starts a command that serves, and waits for its address.
func (h *fixture) serve(cmd *exec.Cmd) *process {
	h.t.Helper()
	out, err := cmd.StdoutPipe()
	must(h.t, err)
	p := &process{cmd: cmd}
	cmd.Stderr = io.MultiWriter(&p.log, &h.said)
	must(h.t, cmd.Start())
	h.t.Cleanup(p.kill)
	said := io.Writer(&h.said)
	if slices.Contains(cmd.Args, "sandbox") {
		said = io.Discard // a service prints its own keys
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

// kill kills the process.
func (p *process) kill() { p.end(syscall.SIGKILL) }

// end sends a signal and waits for the end.
func (p *process) end(s os.Signal) {
	if p.waited {
		return
	}
	p.waited = true
	if p.cmd.Process.Signal(s) != nil {
		_ = p.cmd.Process.Kill() // it has already ended, or the system has no such signal
	}
	_ = p.cmd.Wait() // a killed process returns an error
}

// ask calls do with the control API of the running daemon.
func (h *fixture) ask(do func(control.API) error) error {
	paths, err := config.FindPaths(config.Choice{}, h.getenv)
	if err != nil {
		return err
	}
	c, err := daemon.Connect(h.t.Context(), paths)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c.API)
}

// status returns the daemon's status.
func (h *fixture) status() (s control.Status, err error) {
	err = h.ask(func(ctl control.API) error {
		s, err = ctl.Status(h.t.Context())
		return err
	})
	return s, err
}

// entries returns the entries of the running daemon, the newest first.
func (h *fixture) entries() (all []entry.Entry, err error) {
	err = h.ask(func(ctl control.API) error {
		all, err = ctl.List(h.t.Context(), entry.Filter{})
		return err
	})
	return all, err
}

// film adds a film to the queue of the running daemon; a nil error is the acknowledgement.
func (h *fixture) film(id int64, watchedAt time.Time) error {
	return h.ask(func(ctl control.API) error {
		_, err := ctl.Add(h.t.Context(), viewing.Event{
			Kind: viewing.KindViewing, EventID: uuid(), Media: []viewing.Media{film(id)}, WatchedAt: viewing.At(watchedAt), Count: 1,
		})
		return err
	})
}

// patience limits every wait. On a good run no wait comes near it.
const patience = time.Minute

// await calls look until its value is good and returns it. It looks again when a file below dir
// has changed, and every second. A failure contains the last value.
func await[T any](fatalf func(string, ...any), dir, what string, look func() (T, error), good func(T) bool) T {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		fatalf("watch %s: %v", dir, err)
	}
	defer files.Close()
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = files.Add(path) // a removed file does not change
		}
		return nil
	})
	second := time.NewTicker(time.Second)
	defer second.Stop()
	limit := time.After(patience)
	for {
		saw, err := look()
		if err == nil && good(saw) {
			return saw
		}
		select {
		case <-files.Events:
		case <-second.C:
		case <-limit:
			text, _ := json.MarshalIndent(saw, "", "  ")
			fatalf("%s did not happen within %v; seen last (error: %v):\n%s", what, patience, err, text)
		}
	}
}

// until waits for a status of the daemon.
func (h *fixture) until(what string, good func(control.Status) bool) control.Status {
	h.t.Helper()
	return await(h.t.Fatalf, h.dir, what, h.status, good)
}

// delivered waits until n entries are delivered.
func (h *fixture) delivered(n int64) {
	h.t.Helper()
	h.until(fmt.Sprintf("delivery of %d", n), func(s control.Status) bool { return s.Counts.Delivered == n })
}

// problem waits until the status has a problem with a code.
func (h *fixture) problem(code string) control.Problem {
	h.t.Helper()
	has := func(p control.Problem) bool { return p.Code == code }
	s := h.until("the problem "+code, func(s control.Status) bool { return slices.ContainsFunc(s.Problems, has) })
	health.RenderProblems(locale.In(""), s.Problems)
	return s.Problems[slices.IndexFunc(s.Problems, has)]
}

// records returns the records of the sandbox at address.
func (h *fixture) records(address string) (records sandbox.Records) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, "http://"+address+"/_sandbox/records", nil)
	must(h.t, err)
	answer, err := http.DefaultClient.Do(r)
	must(h.t, err)
	defer answer.Body.Close()
	must(h.t, json.NewDecoder(answer.Body).Decode(&records))
	return records
}

// code returns a pairing code from "filmspool sources pair".
func (h *fixture) code() string {
	h.t.Helper()
	var code struct{ Code string }
	must(h.t, json.Unmarshal([]byte(h.do("", "sources", "pair", "--json")), &code))
	return code.Code
}
