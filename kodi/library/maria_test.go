//go:build mariadb

package library_test

import (
	"bufio"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startServer starts a MariaDB server with `mariadbd` and stops it after the test. It listens on
// loopback; root connects over the socket without a password. more returns further flags, and may
// create files in the server's folder.
func startServer(t testing.TB, more func(dir string) []string) (port, socket string) {
	t.Helper()
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
	port = freePort(t)
	c := exec.CommandContext(t.Context(), "mariadbd", append([]string{
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

// freePort returns an unused port on loopback.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// labels compares genres and tags of a library on a server.
func (m *maria) labels(t *testing.T) {
	m.load(t, "OtherLabels121", newLabelledLibrary(t).Path, "InnoDB")
	compareLabels(t, labelledItems, readServer(t, m.server("OtherLabels")))
}

// certificates writes server.pem and server.key.
func certificates(t testing.TB, dir string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	ok(t, err)
	for name, block := range map[string]pem.Block{
		"server.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		"server.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		ok(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&block), 0o600))
	}
}
