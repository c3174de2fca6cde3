package sandbox

import (
	"bytes"
	"context"
	"database/sql"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Every step of the model waits for the disk; the flag itself still wins.
	flag.Set("rapid.checks", "30")
	goleak.VerifyTestMain(m)
}

func TestRecordsSurviveARestart(t *testing.T) {
	o := options(t)
	p := newProbe(t, o)
	first := p.mustBe(t, keyed("lists", valid("lists"), "l"), 201)
	p.mustBe(t, keyed("history", valid("history"), "h"), 200)
	p.mustBe(t, to("watchlist", valid("watchlist")), 200)
	before := asJSON(t, p.records(t))
	me := p.mustBe(t, get("/api/v1/me"), 200)
	p.shut()

	p = newProbe(t, o)
	if after := asJSON(t, p.records(t)); after != before {
		t.Errorf("after the restart %s, before it %s", after, before)
	}
	again := p.mustBe(t, keyed("lists", valid("lists"), "l"), 201)
	if string(again.body) != string(first.body) {
		t.Errorf("answered %s, before the restart %s", again.body, first.body)
	}
	p.mustBe(t, keyed("history", `{"type":"movie","id":604}`, "h"), http.StatusUnprocessableEntity)
	if after := asJSON(t, p.records(t)); after != before {
		t.Errorf("the repeats were recorded: %s", after)
	}
	if again := p.mustBe(t, get("/api/v1/me"), 200); string(again.body) != string(me.body) {
		t.Errorf("the user was %s and is %s", me.body, again.body)
	}
}

func TestMadeKeysStay(t *testing.T) {
	o := Options{Path: filepath.Join(t.TempDir(), "sandbox.db")}
	p := newProbe(t, o)
	secret, public := p.SecretKey(), p.PublicKey()
	if !strings.HasPrefix(secret, "sk_") || !strings.HasPrefix(public, "pk_") || len(secret) < 20 || secret[3:] == public[3:] {
		t.Fatal("the keys that were made are not a pair of good keys")
	}
	p.mustBe(t, history(valid("history")).with("x-api-key", secret), 200)
	p.mustBe(t, history(valid("history")).with("x-api-key", public), 403)
	p.shut()
	if p = newProbe(t, o); p.SecretKey() != secret || p.PublicKey() != public {
		t.Error("a restart made other keys")
	}
	p.shut()
	o.SecretKey = testSecret
	if p = newProbe(t, o); p.SecretKey() != testSecret || p.PublicKey() != public {
		t.Error("a given key must win over the one that was made, and only over that")
	}
	p.mustBe(t, history(valid("history")).with("x-api-key", secret), 401)
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	execute(t, foreign, "CREATE TABLE notes (text TEXT)")
	newer := filepath.Join(dir, "newer.db")
	made, err := Open(t.Context(), Options{Path: newer})
	if err != nil {
		t.Fatal(err)
	}
	made.Close()
	execute(t, newer, "PRAGMA user_version = 99")
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no database "), 100), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		says    string
	}{
		"no path":         {Options{}, "no path"},
		"no folder":       {Options{Path: filepath.Join(dir, "none", "s.db")}, "none"},
		"foreign":         {Options{Path: foreign}, "another program's"},
		"newer":           {Options{Path: newer}, "newer version"},
		"no database":     {Options{Path: text}, "not a database"},
		"wrong secret":    {Options{Path: filepath.Join(dir, "a.db"), SecretKey: "pk_hidden"}, "sk_"},
		"wrong public":    {Options{Path: filepath.Join(dir, "a.db"), PublicKey: "sk_hidden"}, "pk_"},
		"bare prefix":     {Options{Path: filepath.Join(dir, "a.db"), SecretKey: "sk_"}, "sk_"},
		"line in the key": {Options{Path: filepath.Join(dir, "a.db"), SecretKey: "sk_hid\nden"}, "ASCII"},
	} {
		s, err := Open(t.Context(), c.options)
		if err == nil {
			s.Close()
			t.Errorf("%s: opened", name)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hid") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b#c?d%20e.db") // nothing in a name is an option
	if runtime.GOOS == "windows" {
		path = filepath.Join(t.TempDir(), "a b#c%20e.db")
	}
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000"} {
		var got string
		if err := s.store.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v", pragma, got, err)
		}
	}
}

func TestNoKeyInTheLog(t *testing.T) {
	var log syncBuffer
	o := options(t)
	o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	p := newProbe(t, o)
	p.send(t, history(valid("history")))
	p.send(t, history(valid("history")).with("x-api-key", testPublic))
	p.send(t, history(valid("history")).with("x-api-key").as("POST", "/api/v1/history?key="+testSecret))
	p.send(t, get("/api/v1/"+testSecret))
	p.send(t, history(`{"type":"`+testSecret+`"}`))
	p.arm(t, "POST /history", "status:500", 1)
	p.send(t, history(valid("history")))
	if text := log.String(); strings.Contains(text, testSecret[3:]) || strings.Contains(text, testPublic[3:]) || !strings.Contains(text, "request accepted") {
		t.Errorf("the log is %s", text)
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestCloseRecordsWhatIsLate(t *testing.T) {
	o := options(t)
	p := newProbe(t, o)
	p.arm(t, "POST /history", "late:1h", 2)
	p.broken(t, keyed("history", valid("history"), "k"))
	p.broken(t, history(`{"type":"movie","id":604}`))
	if n := p.total(t); n != 0 {
		t.Fatalf("%d records before Close", n)
	}
	p.shut()
	if err := p.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	p = newProbe(t, o)
	if n := p.total(t); n != 2 {
		t.Errorf("%d records after Close, want both late ones", n)
	}
	p.mustBe(t, keyed("history", valid("history"), "k"), 200)
	if n := p.total(t); n != 2 {
		t.Error("the late request's key was not kept with it")
	}
}

func TestClosedServiceRefuses(t *testing.T) {
	p := newProbe(t, options(t))
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sent{history(valid("history")), get("/api/v1/history"), get("/_sandbox/records")} {
		checkError(t, p.mustBe(t, s, http.StatusServiceUnavailable), codeUnavailable, "")
	}
	if _, err := p.Records(context.Background()); err == nil {
		t.Error("a closed service read its records")
	}
}

func TestOneKeyFromManyClients(t *testing.T) {
	p := newProbe(t, options(t))
	var wait sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for range 20 {
		wait.Go(func() {
			r, err := p.try(t, keyed("lists", valid("lists"), "k"))
			if err != nil || r.status != http.StatusCreated && r.status != http.StatusConflict {
				t.Errorf("answered %d %s, %v", r.status, r.body, err)
			}
			if r.status == http.StatusCreated {
				mu.Lock()
				defer mu.Unlock()
				answers[string(r.body)]++
			}
		})
	}
	wait.Wait()
	if n := p.total(t); n != 1 || len(answers) != 1 {
		t.Errorf("%d lists and %d different answers, want one of each", n, len(answers))
	}
}
