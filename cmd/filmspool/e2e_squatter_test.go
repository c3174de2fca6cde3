package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/disk"
)

// squatter is a program that has taken the port of a daemon that was killed.
type squatter struct {
	net.Listener
	heard transcript
}

// squat takes the port, writes down all that comes, and answers like that.
func squat(t *testing.T, address, answer string) *squatter {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &squatter{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.listen(conn, answer)
		}
	}()
	return s
}

func (s *squatter) listen(conn net.Conn, answer string) {
	defer conn.Close()
	buffer := make([]byte, 64<<10)
	for answer != "" {
		n, err := conn.Read(buffer)
		s.heard.add(buffer[:n])
		if err != nil {
			return
		}
		if _, err := conn.Write([]byte(answer)); err != nil {
			return
		}
	}
}

// imitation is the answer of a daemon, to any question.
const imitation = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 92\r\n\r\n" +
	`{"service":"filmspool","version":"0.1.0","protocol":[1],"summary":"All is well.","proof":""}`

// leftover is a household whose daemon was killed, and its control file.
func leftover(t *testing.T, control string, env ...string) (h *household, address, token string) {
	t.Helper()
	h = newHousehold(t)
	for _, e := range env {
		h.env = append(h.env, strings.ReplaceAll(e, "@", h.dir))
	}
	if err := os.MkdirAll(filepath.Join(h.dir, filepath.Dir(control)), 0o700); err != nil {
		t.Fatal(err)
	}
	daemon := h.start("run")
	daemon.kill()
	text, err := os.ReadFile(filepath.Join(h.dir, control))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Address, Token string }
	if err := json.Unmarshal(text, &file); err != nil || file.Token == "" || file.Address != daemon.address {
		t.Fatalf("%s: %v", text, err)
	}
	return h, file.Address, file.Token
}

// heardNothing fails if the squatter has learned a secret.
func (s *squatter) heardNothing(t *testing.T, token string) {
	t.Helper()
	heard := s.heard.String()
	if strings.Contains(heard, secretKey) || strings.Contains(heard, token) || strings.Contains(heard, "/login") {
		t.Errorf("whoever took the port heard:\n%s", heard)
	}
}

// A daemon is killed, and its control file stays. Whoever takes its port hears
// nothing of a login: that goes to the state folder.
func TestLoginPastASquatter(t *testing.T) {
	for name, env := range map[string][]string{"state/control.json": nil, "runtime/control.json": {"RUNTIME_DIRECTORY=@/runtime"}} {
		t.Run(filepath.Dir(name), func(t *testing.T) {
			h, address, token := leftover(t, name, env...)
			s := squat(t, address, imitation)
			box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", filepath.Join(t.TempDir(), "box"), "--secret-key", secretKey)
			h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
			s.heardNothing(t, token)
			if _, err := os.Stat(filepath.Join(h.dir, "state", "keys", "default.json")); err != nil {
				t.Error("the login went elsewhere: ", err)
			}
			if _, err := os.Stat(filepath.Join(h.dir, name)); err == nil {
				t.Error("the leftover control file is still there, though the folder was locked since")
			}
			if said := h.try("status"); !strings.Contains(said, "is not running") {
				t.Errorf("status: %s", said)
			}
		})
	}
}

// A daemon that starts anew holds the lock before its control file is written.
// Whoever has the old port then proves nothing, and is told nothing.
func TestLoginWhileARestartHoldsTheLock(t *testing.T) {
	for name, c := range map[string]struct{ answer, says string }{
		"imitator": {imitation, "has not proved to be your filmspool"},
		"web page": {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "has not proved to be your filmspool"},
		"no HTTP":  {"\x1b[2J\r\n\r\n", "has not proved to be your filmspool"},
		"hangs up": {"", "hung up 5 times"},
	} {
		t.Run(name, func(t *testing.T) {
			h, address, token := leftover(t, "state/control.json")
			s := squat(t, address, c.answer)
			lock, err := disk.AcquireLock(filepath.Join(h.dir, "state"))
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Release()
			key := filepath.Join(h.dir, "key")
			if err := os.WriteFile(key, []byte(secretKey), 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := os.Open(key)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			cmd := h.command(t.Context(), "login", "--base-url", "https://tracker.example/api/v1", "--key-stdin")
			cmd.Stdin = in
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.says) || !strings.Contains(string(out), "hint:  ") {
				t.Errorf("login: %v\n%s", err, out)
			}
			if err := os.Remove(key); err != nil {
				t.Fatal(err)
			}
			s.heardNothing(t, token)
			if strings.ContainsRune(string(out), '\x1b') {
				t.Errorf("printed what it heard: %q", out)
			}
		})
	}
}

// A folder that others can change, or that is another's, is refused by the
// daemon and by the command line, and nothing in it is believed.
func TestFoldersOfOthersAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		root  bool
		spoil func(dir string) error
		says  string
	}{
		"open folder":    {false, func(dir string) error { return os.Chmod(dir, 0o777) }, "can be changed by other users"},
		"foreign folder": {true, func(dir string) error { return os.Chown(dir, 4242, 4242) }, "belongs to another user"},
		"open file":      {false, func(dir string) error { return os.Chmod(filepath.Join(dir, "control.json"), 0o644) }, "is open to other users"},
		"foreign file":   {true, func(dir string) error { return os.Chown(filepath.Join(dir, "control.json"), 4242, 4242) }, "belongs to another user"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.root && os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			h, address, token := leftover(t, "state/control.json")
			s := squat(t, address, imitation)
			state := filepath.Join(h.dir, "state")
			if err := c.spoil(state); err != nil {
				t.Fatal(err)
			}
			lines := []string{"status", "queue list", "login --key-stdin --base-url https://tracker.example/api/v1"}
			if strings.Contains(name, "folder") {
				lines = append(lines, "run")
			}
			for _, line := range lines {
				ctx := t.Context()
				cmd := h.command(ctx, strings.Fields(line)...)
				cmd.Stdin = strings.NewReader(secretKey)
				out, err := cmd.CombinedOutput()
				if err == nil || !strings.Contains(string(out), c.says) || !strings.Contains(string(out), "hint:  ") {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
			}
			if heard := s.heard.String(); heard != "" {
				t.Errorf("whoever took the port heard:\n%s", heard)
			}
			s.heardNothing(t, token)
		})
	}
}
