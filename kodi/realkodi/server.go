package realkodi

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// StartServer starts a real MariaDB, in which Kodis can keep a library, and
// ends it with the test. It skips the test unless FILMSPOOL_MARIADB names the
// server's program, such as /usr/sbin/mariadbd. The server listens on loopback.
// Root enters by the socket, without a password. more gives further flags, and
// may put files into the server's folder.
func StartServer(t testing.TB, more func(dir string) []string) (port, socket string) {
	t.Helper()
	program := os.Getenv("FILMSPOOL_MARIADB")
	if program == "" {
		t.Skip("needs a MariaDB; FILMSPOOL_MARIADB names its server program")
	}
	dir, err := os.MkdirTemp("", "maria") // short: a socket's path has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "s")
	install := exec.CommandContext(t.Context(), "mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	if said, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	port = FreePort(t)
	c := exec.CommandContext(t.Context(), program, append([]string{
		"--no-defaults", "--datadir=" + data, "--socket=" + socket, "--bind-address=127.0.0.1", "--port=" + port, "--user=root", "--innodb-buffer-pool-size=32M",
	}, more(dir)...)...)
	words, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // it is killed: the test's context has ended
	var said strings.Builder
	for lines := bufio.NewScanner(io.TeeReader(words, &said)); lines.Scan(); {
		if strings.Contains(lines.Text(), "ready for connections") {
			go func() { _, _ = io.Copy(io.Discard, words) }()
			return port, socket
		}
	}
	t.Fatal("the server ended: ", said.String())
	return "", ""
}

// FreePort is a port of loopback that nobody listens on now.
func FreePort(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
