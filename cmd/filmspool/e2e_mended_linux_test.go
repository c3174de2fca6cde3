package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

// mended is a problem at the real program: what brings it about, and the act that
// the problem itself names.
type mended struct {
	code string
	// asks says that only the doctor tells of it: nothing runs, or it has not lasted
	// as long as the status waits.
	asks bool
	show func(*sick)
	mend func(*sick, control.Problem)
}

// mendedCases are all problems that are shown, mended and gone here.
func mendedCases() []mended {
	return slices.Concat(
		mendedDisks(), mendedKeys(), mendedAddresses(), mendedSendings(), mendedPrograms(), mendedStarts(), mendedEntries(),
		mendedLibraries(), mendedAddOns(), mendedBrowsers(),
	)
}

// neverShown are the problems that no case here brings about, each with its reason.
func neverShown() map[string]string {
	const manager = "only a service manager shows it: TestDoctorOnSystemd does"
	return map[string]string{
		health.ServiceStopped: manager,
		health.ServiceFailed:  manager,
		health.ServiceMissing: manager,
		health.ServiceManual:  manager,
		health.ServiceLogout:  manager,
		health.Outdated:       manager,
	}
}

// TestEveryProblemIsMendedByItsAct: the status, or the doctor, tells of the problem.
// Then what its act says is done, and nothing tells of it any more.
func TestEveryProblemIsMendedByItsAct(t *testing.T) {
	for _, c := range mendedCases() {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			s := newSick(t)
			c.show(s)
			var told control.Problem
			s.until(c.code, func() (ok bool) {
				told, ok = s.problems(c.asks)[c.code]
				return ok
			})
			if told.Text == "" || told.Why == "" || told.Act.Text == "" || strings.Contains(told.Text+told.Why+told.Act.Text, "{") {
				t.Errorf("told as %+v", told)
			}
			c.mend(s, told)
			s.ends(c)
		})
	}
}

// aLook is the most that a thing takes which is looked at once a minute alone.
const aLook = time.Minute + patience

// ends waits until nothing tells of a problem any more.
func (s *sick) ends(c mended) {
	s.t.Helper()
	s.within(aLook, "the end of "+c.code, func() bool {
		_, there := s.problems(c.asks)[c.code]
		return !there
	})
}

// TestEveryProblemHasACase: each code of the catalogue is shown and mended here, or it
// says why not.
func TestEveryProblemHasACase(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "daemon", "words", "en", "problem.json"))
	if err != nil {
		t.Fatal(err)
	}
	var catalogue map[string]any
	if err := json.Unmarshal(text, &catalogue); err != nil {
		t.Fatal(err)
	}
	known, cases := map[string]bool{}, map[string]bool{}
	for key := range catalogue {
		if code, ok := strings.CutSuffix(strings.TrimPrefix(key, "problem."), ".text"); ok {
			known[code] = true
		}
	}
	for _, c := range mendedCases() {
		cases[c.code] = true
	}
	for _, code := range slices.Sorted(maps.Keys(known)) {
		if why := neverShown()[code]; cases[code] == (why != "") {
			t.Errorf("%s: shown and mended is %v, and the reason why it is not is %q", code, cases[code], why)
		}
	}
	for code := range neverShown() {
		cases[code] = true
	}
	for code := range cases {
		if !known[code] {
			t.Errorf("%s: the catalogue has no such problem", code)
		}
	}
	t.Logf("%d of %d problems are shown and mended", len(mendedCases()), len(known))
}

// sick is a household in which something goes wrong. Its service is a sandbox, or what
// a test puts in its place.
type sick struct {
	*household
	t       *testing.T
	box     *sandbox.Service
	server  *httptest.Server
	answers atomic.Pointer[http.Handler]
	wrap    []string // runs the program, as strace would; nil runs it plainly
	daemon  *process
	films   int
	tabs    []*websocket.Conn // the browsers that are paired
	place   string            // the state folder; "" is the usual one
	free    func()            // makes room on the disk
	other   net.Listener      // another program's
	sim     *kodisim.Sim      // its library
	last    kodisim.Ref       // its last film
}

// newSick runs nothing yet.
func newSick(t *testing.T) *sick {
	t.Helper()
	s := &sick{household: newHousehold(t), t: t}
	s.box = s.service(false)
	s.works()
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*s.answers.Load()).ServeHTTP(w, r) }))
	t.Cleanup(s.server.Close)
	return s
}

// service is a service with a user of its own. A plain one cannot be read back.
func (s *sick) service(plain bool) *sandbox.Service {
	s.t.Helper()
	box, err := sandbox.Open(s.t.Context(), sandbox.Options{
		Path: filepath.Join(s.t.TempDir(), "box.db"), SecretKey: secretKey, PublicKey: "pk_householdpublic", ContractOnly: plain,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { box.Close() })
	return box
}

// answer puts something in the place of the service.
func (s *sick) answer(h http.Handler) { s.answers.Store(&h) }

// works has the service answer.
func (s *sick) works() { s.answer(s.box.Handler()) }

// away has the service hang up on everybody.
func (s *sick) away() {
	s.answer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
}

// fails arms the service's answer to the next viewing.
func (s *sick) fails(fault string) {
	s.t.Helper()
	if err := s.box.Arm(sandbox.Fault{Match: "POST /history", Fault: fault, Times: 1}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sick) base() string { return s.server.URL + "/api/v1" }

// config writes the configuration. Each %q of text is one of values.
func (s *sick) config(text string, values ...any) {
	s.t.Helper()
	s.write(filepath.Join(s.dir, "config", "filmspool", "config.toml"), fmt.Sprintf(text, values...))
}

// write writes a file, and the folders on the way to it.
func (s *sick) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// state is a path in the state folder.
func (s *sick) state(names ...string) string {
	return filepath.Join(append([]string{cmp.Or(s.place, filepath.Join(s.dir, "state"))}, names...)...)
}

// login logs in with the good key.
func (s *sick) login(args ...string) {
	s.t.Helper()
	s.do(secretKey, append([]string{"login", "--base-url", s.base(), "--key-stdin"}, args...)...)
}

// runs starts the daemon.
func (s *sick) runs() {
	s.t.Helper()
	cmd := s.command(context.WithoutCancel(s.t.Context()), "run")
	if s.wrap != nil {
		path, err := exec.LookPath(s.wrap[0])
		if err != nil {
			s.t.Skip("needs " + s.wrap[0])
		}
		cmd.Args = append(append(slices.Clone(s.wrap), cmd.Path), cmd.Args[1:]...)
		cmd.Path = path
	}
	s.daemon = s.serve(cmd)
}

// well is a daemon that delivers.
func (s *sick) well() {
	s.t.Helper()
	s.login()
	s.runs()
}

// stops ends the daemon in order.
func (s *sick) stops() { s.daemon.end(syscall.SIGTERM) }

// again restarts the daemon.
func (s *sick) again() {
	s.t.Helper()
	s.stops()
	s.runs()
}

// film adds a film that was watched on a day of its own.
func (s *sick) film() {
	s.t.Helper()
	s.films++
	s.do("", "add", "movie", fmt.Sprint(600+s.films), "--watched-at", fmt.Sprintf("2026-03-%02dT20:00:00Z", s.films))
}

// problems are those that are told now, by their codes: in the status, or by the doctor.
func (s *sick) problems(asks bool) map[string]control.Problem {
	s.t.Helper()
	var status struct{ Problems []control.Problem }
	into, args := any(&status), []string{"status", "--json"}
	if asks {
		into, args = &status.Problems, []string{"doctor", "--json"}
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	cmd := s.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // it fails where something needs a person
	s.said.add(append(out, stderr.Bytes()...))
	found := map[string]control.Problem{}
	if json.Unmarshal(out, into) != nil { // nobody can be asked: that is what it says instead
		return found
	}
	for _, p := range status.Problems {
		found[p.Code] = p
	}
	return found
}

// obeys types the command of a problem's act, with a good key for whoever asks for one.
// rest is added to it.
func (s *sick) obeys(p control.Problem, rest ...string) {
	s.t.Helper()
	args := []string{"doctor", "--fix"}
	switch {
	case p.Act.Fix:
	case p.Act.Command == nil:
		s.t.Fatalf("no command mends %+v", p)
	default:
		args = append(strings.Fields(strings.ReplaceAll(strings.TrimPrefix(*p.Act.Command, "filmspool "), "ADDRESS", s.base())), rest...)
	}
	if args[0] == "login" {
		args = append(args, "--key-stdin")
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	cmd := s.command(ctx, args...)
	cmd.Stdin = strings.NewReader(secretKey)
	out, err := cmd.CombinedOutput()
	s.said.add(out)
	if code := cmd.ProcessState.ExitCode(); code != exitDone && code != exitAttention {
		s.t.Fatalf("filmspool %v: %v\n%s", args, err, out)
	}
}

// ages puts what the queue knows back by a time, as if the machine had been off for so
// long.
func (s *sick) ages(by time.Duration, statements ...string) {
	s.t.Helper()
	db := s.database()
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.Exec(statement, by.Milliseconds()); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// database is the queue, opened as another program would open it.
func (s *sick) database() *sql.DB {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.state("filmspool.db")+"?mode=rw&_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		s.t.Fatal(err)
	}
	return db
}
