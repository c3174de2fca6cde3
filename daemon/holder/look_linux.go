package holder

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// dynamic are the numbers of users whom systemd makes for a service alone
// (systemd.exec(5), "DynamicUser="), and nobody is who stands for those that a
// namespace hides.
const (
	dynamicFirst, dynamicLast = 61184, 65519
	nobody                    = 65534
)

// look finds the process. The table of sockets is everybody's to read, the
// processes of others are root's.
func (h *Holder) look() { h.lookIn("/proc") }

func (h *Holder) lookIn(proc string) {
	at, err := netip.ParseAddrPort(h.Address)
	if err != nil {
		return
	}
	for _, table := range []string{"tcp", "tcp6"} {
		s, found := listener(filepath.Join(proc, "self", "net", table), at)
		if !found {
			continue
		}
		h.mine = s.uid == os.Geteuid()
		dynamic := s.uid >= dynamicFirst && s.uid <= dynamicLast
		if s.uid != nobody && !dynamic {
			h.User = userName(s.uid)
		}
		if h.PID = process(proc, s.inode); h.PID != 0 {
			dir := filepath.Join(proc, strconv.Itoa(h.PID))
			h.Program, _, _ = strings.Cut(read(filepath.Join(dir, "comm")), "\n")
			h.Service = kindOf(read(filepath.Join(dir, "cgroup")))
		} else if dynamic {
			h.Service = OfMachine
		}
		return
	}
}

// socket is what the table tells of one that listens.
type socket struct {
	uid   int
	inode string
}

// listener finds who listens at the address, or at its port on every address
// (proc_net_tcp in the kernel's documentation; state 0A is LISTEN).
func listener(table string, at netip.AddrPort) (socket, bool) {
	f, err := os.Open(table)
	if err != nil {
		return socket{}, false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		field := strings.Fields(lines.Text())
		if len(field) < 10 || field[3] != "0A" {
			continue
		}
		local, ok := parseAddress(field[1])
		if !ok || local.Port() != at.Port() || !local.Addr().IsUnspecified() && local.Addr() != at.Addr().Unmap() {
			continue
		}
		uid, err := strconv.Atoi(field[7])
		return socket{uid: uid, inode: field[9]}, err == nil
	}
	return socket{}, false
}

// parseAddress reads "0100007F:A9C0": words of 32 bits in the machine's own
// order, then the port.
func parseAddress(text string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(raw) != 4 && len(raw) != 16 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), ok
}

// process finds the process that has the socket open, or 0.
func process(proc, inode string) int {
	open, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "fd", "*")) // only a bad pattern fails
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && to == "socket:["+inode+"]" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(fd))))
			return pid
		}
	}
	return 0
}

// kindOf reads the control groups of a process; systemd's is the line "0::" or,
// on older machines, "name=systemd:" (cgroups(7)).
func kindOf(groups string) Kind {
	for line := range strings.Lines(groups) {
		_, path, found := strings.Cut(strings.TrimSpace(line), ":name=systemd:")
		if !found {
			path, found = strings.CutPrefix(strings.TrimSpace(line), "0::")
		}
		switch {
		case !found || path == "/":
			continue
		case !strings.HasSuffix(path, "/filmspool.service"):
			return ByHand
		case strings.Contains(path, "/user@"):
			return OfUser
		default:
			return OfMachine
		}
	}
	return Unknown
}

func read(path string) string {
	text, _ := os.ReadFile(path) // what cannot be read is not known
	return string(text)
}

func userName(uid int) string {
	id := strconv.Itoa(uid)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
