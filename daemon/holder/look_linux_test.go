package holder

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"
)

// machine is a /proc with one process that listens.
func machine(t *testing.T, table, uid string) string {
	t.Helper()
	proc := t.TempDir()
	dir := filepath.Join(proc, "self", "net")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	line := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:A9C0 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 1\n" + // a connection
		"   1: " + table + " 00000000:0000 0A 00000000:00000000 00:00000000 00000000  " + uid + "        0 4242 1 0 100 0 0 10 0\n"
	name := "tcp"
	if len(table) > 20 {
		name = "tcp6"
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	return proc
}

func (h Holder) with(t *testing.T, proc, group string) Holder {
	t.Helper()
	fd := filepath.Join(proc, "77", "fd")
	if err := os.MkdirAll(fd, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"comm": "filmspool\n", "cgroup": group + "\n"} {
		if err := os.WriteFile(filepath.Join(proc, "77", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("socket:[4242]", filepath.Join(fd, "3")); err != nil {
		t.Fatal(err)
	}
	h.lookIn(proc)
	return h
}

func TestLook(t *testing.T) {
	for name, c := range map[string]struct {
		table, address, group string
		pid                   int
		kind                  Kind
	}{
		"system service": {"0100007F:A9C0", "127.0.0.1:43456", "0::/system.slice/filmspool.service", 77, OfMachine},
		"user service":   {"0100007F:A9C0", "127.0.0.1:43456", "0::/user.slice/user-7.slice/user@7.service/app.slice/filmspool.service", 77, OfUser},
		"terminal":       {"0100007F:A9C0", "127.0.0.1:43456", "0::/user.slice/user-7.slice/session-1.scope", 77, ByHand},
		"older groups":   {"0100007F:A9C0", "127.0.0.1:43456", "9:cpu:/\n1:name=systemd:/user.slice/user@7.service/filmspool.service\n0::/", 77, OfUser},
		"no groups":      {"0100007F:A9C0", "127.0.0.1:43456", "", 77, Unknown},
		"every address":  {"00000000:A9C0", "127.0.0.1:43456", "", 77, Unknown},
		"IPv6":           {"00000000000000000000000001000000:A9C0", "[::1]:43456", "", 77, Unknown},
		"IPv6, every":    {"00000000000000000000000000000000:A9C0", "127.0.0.1:43456", "", 77, Unknown},
		"another port":   {"0100007F:A9C1", "127.0.0.1:43456", "", 0, Unknown},
		"another host":   {"0200007F:A9C0", "127.0.0.1:43456", "", 0, Unknown},
	} {
		got := Holder{Address: c.address}.with(t, machine(t, c.table, "1000"), c.group)
		if got.PID != c.pid || got.Service != c.kind || (c.pid != 0) != (got.Program == "filmspool") || (c.pid != 0) != (got.User != "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Of another's process its user alone can be seen; systemd's own numbers tell
// a service of the machine.
func TestLookWithoutRights(t *testing.T) {
	for uid, want := range map[string]Kind{"1000": Unknown, "61184": OfMachine, "65534": Unknown} {
		h := Holder{Address: "127.0.0.1:43456"}
		h.lookIn(machine(t, "0100007F:A9C0", uid))
		if h.PID != 0 || h.Service != want || (h.User != "") != (uid == "1000") {
			t.Errorf("%s: %+v", uid, h)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("0100007F:A9C0")
	f.Fuzz(func(t *testing.T, text string) {
		if a, ok := parseAddress(text); ok && (!a.IsValid() || a == (netip.AddrPort{})) {
			t.Errorf("%q: %v", text, a)
		}
	})
}
