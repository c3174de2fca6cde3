package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/daemon/config"
)

func TestMain(m *testing.M) {
	// Most of these tests mainly wait for the program, so more of them can run in parallel.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"filmspool": underTest, "xdg-open": asBrowser})
}

// The scripts in testdata run the program like a user.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			paths, err := config.FindPaths(config.Choice{}, e.Getenv)
			if err != nil {
				return err
			}
			e.Setenv("STATE", paths.State)
			e.Setenv("FILMSPOOL_LISTEN", "127.0.0.1:0")
			e.Setenv("OWN", ownAddress())
			if testing.CoverMode() != "" { // otherwise the program prints a warning at its end
				e.Setenv("GOCOVERDIR", e.WorkDir)
			}
			e.Values[startedKey{}] = map[string]*started{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "capture": capture, "start": start, "ends": ends, "hangup": hangup, "kill9": kill9, "until": until, "fetch": fetch, "post": post,
			"replace": replace, "tmdb": tmdb, "wikidata": wikidata, "tagged": taggedLibrary, "kodi": kodiActs,
		},
	})
}

// ownAddress returns a loopback address with port 0 for a service that will use its port again.
// On systems with many loopback addresses no other program takes the port in between.
func ownAddress() string {
	if runtime.GOOS == "darwin" {
		return "127.0.0.1:0"
	}
	return fmt.Sprintf("127.%d.%d.%d:0", 1+rand.N(254), rand.N(256), 1+rand.N(254))
}

type startedKey struct{}

// started is a program that a script has started.
type started struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
}

// prepared returns the command with the script's environment and folder.
func prepared(ctx context.Context, ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "filmspool", args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "LANG", "FILMSPOOL_STATE_DIR", "FILMSPOOL_LISTEN", "FILMSPOOL_KEY", "FILMSPOOL_CONFIG", "CREDENTIALS_DIRECTORY", "TMPDIR", "TZ", "GOCOVERDIR"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	path, err := exec.LookPath("filmspool")
	ts.Check(err)
	cmd.Path = path
	return cmd
}

// exits runs "exits CODE ARGS…" and stores the output in out and err.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	cmd := prepared(ctx, ts, args[1:])
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if in, err := os.Open(ts.MkAbs("in")); err == nil {
		defer in.Close()
		cmd.Stdin = in
	}
	got := 0
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("run: %v", err)
		}
		got = exit.ExitCode()
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), stderr.Bytes(), 0o600))
	if got != want {
		ts.Fatalf("exit %d, want %d\nout: %s\nerr: %s", got, want, out.String(), stderr.String())
	}
}

// start runs "start NAME ARGS…" in the background, waits for the line with its address, and
// stores it in the variable NAME and, without scheme and path, in NAME_host.
func start(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := prepared(ctx, ts, args[1:])
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	log, err := os.OpenFile(ts.MkAbs(args[0]+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	ts.Check(err)
	defer log.Close() // the child has its own descriptor
	cmd.Stderr = log
	ts.Check(cmd.Start())
	running := ts.Value(startedKey{}).(map[string]*started)
	running[args[0]] = &started{cmd, cancel}
	ts.Defer(func() { kill(running, args[0]) })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "http://"); ok {
			ts.Setenv(args[0], "http://"+address)
			host, _, _ := strings.Cut(address, "/")
			ts.Setenv(args[0]+"_host", host)
			go io.Copy(io.Discard, out)
			return
		}
	}
	text, _ := os.ReadFile(ts.MkAbs(args[0] + ".log"))
	ts.Fatalf("%v did not start:\n%s", args, text)
}

// kill kills a started program if it still runs.
func kill(running map[string]*started, name string) {
	if s := running[name]; s != nil {
		s.cancel()
		_ = s.cmd.Wait() // a killed process returns an error
		delete(running, name)
	}
}

// ends stops a started program, which must exit with 0.
func ends(ts *testscript.TestScript, _ bool, args []string) {
	running := ts.Value(startedKey{}).(map[string]*started)
	s := running[args[0]]
	ts.Check(s.cmd.Process.Signal(syscall.SIGTERM))
	ts.Check(s.cmd.Wait())
	s.cancel()
	delete(running, args[0])
}

// hangup runs "hangup NAME REGEXP": it sends SIGHUP to a started program and waits until its log
// matches.
func hangup(ts *testscript.TestScript, _ bool, args []string) {
	s := ts.Value(startedKey{}).(map[string]*started)[args[0]]
	before := len(ts.ReadFile(args[0] + ".log"))
	ts.Check(s.cmd.Process.Signal(syscall.SIGHUP))
	wait(ts, args[1], func() string { return ts.ReadFile(args[0] + ".log")[before:] })
}

// wait calls look until its result matches.
func wait(ts *testscript.TestScript, want string, look func() string) string {
	return await(ts.Fatalf, ts.Getenv("WORK"), want, func() (string, error) { return look(), nil }, regexp.MustCompile(want).MatchString)
}

// kill9 kills a started program.
func kill9(ts *testscript.TestScript, _ bool, args []string) {
	kill(ts.Value(startedKey{}).(map[string]*started), args[0])
}

// until runs "until REGEXP ARGS…": it repeats a command until its output matches and stores that
// in out. The command runs in this process to save time.
func until(ts *testscript.TestScript, _ bool, args []string) {
	out := wait(ts, args[0], func() string {
		var out bytes.Buffer
		p := &program{stdin: strings.NewReader(""), stdout: terminal.To(&out), stderr: terminal.To(&out), getenv: ts.Getenv}
		p.run(context.Background(), args[1:]) // the exit code may be any
		return out.String()
	})
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(out), 0o600))
}

// replace runs "replace FILE OLD NEW".
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.ReplaceAll(ts.ReadFile(args[0]), args[1], args[2])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// capture runs "capture NAME REGEXP": it stores the first group of the match in out in a
// variable.
func capture(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("out"))
	if len(found) < 2 {
		ts.Fatalf("out does not match %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// post runs "post URL BODY [HEADER VALUE]…", which must return status 200.
func post(ts *testscript.TestScript, _ bool, args []string) {
	request(ts, "200", http.MethodPost, args[0], args[1], args[2:])
}

// fetch runs "fetch STATUS URL [HEADER VALUE]…".
func fetch(ts *testscript.TestScript, _ bool, args []string) {
	request(ts, args[0], http.MethodGet, args[1], "", args[2:])
}

// request stores the answer in out.
func request(ts *testscript.TestScript, status, method, url, body string, headers []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	ts.Check(err)
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("out"), text, 0o600))
	if got := strconv.Itoa(answer.StatusCode); got != status {
		ts.Fatalf("%s: status %s, want %s\n%s", url, got, status, text)
	}
}
