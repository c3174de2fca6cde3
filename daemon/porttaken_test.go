package daemon

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/locale"
)

// hangUp is a program that closes every connection.
func hangUp(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		conn.Close()
	}
}

func TestListenNamesTheHolder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go hangUp(l)
	address := l.Addr().String()
	at := func(address string) Options {
		return Options{Config: config.Config{Listen: address}, Paths: config.Paths{File: "/etc/filmspool/config.toml"}}
	}
	_, err = listen(t.Context(), at(address))
	taken, ok := errors.AsType[*TakenError](err)
	if !ok || !errors.Is(err, config.ErrInvalid) || !strings.HasPrefix(locale.In("").Error(err), address+" is held by ") {
		t.Fatalf("got %v", err)
	}
	if taken.Hint().Code != "hint.otherPort" {
		t.Errorf("hint %q", taken.Hint())
	}
	// An address that is nobody's is no holder's fault.
	if _, err := listen(t.Context(), at("192.0.2.1:43456")); !errors.Is(err, config.ErrInvalid) || strings.Contains(err.Error(), "portTaken") {
		t.Errorf("got %v", err)
	}
	if PortTaken(t.Context(), at("127.0.0.1:0")) != nil {
		t.Error("port 0 is held")
	}
}

// TestNobodyElseGetsThePort at another address of localhost: Chromium asks ::1 first for
// the pages' name, and would bring the ticket to whoever listens there.
func TestNobodyElseGetsThePort(t *testing.T) {
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("this machine has no [::1]")
	} else if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b := runDaemon(t, nil)
	_, port, err := net.SplitHostPort(b.address)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("tcp", "[::1]:"+port); err == nil {
		l.Close()
		t.Error("a stranger gets the port at [::1]")
	}
	answer, err := http.Get("http://[::1]:" + port + "/v1/health")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("at [::1]: %s", answer.Status)
	}
}

// TestAStrangerBesideUsIsNamed: we do not begin where somebody could take what browsers bring.
func TestAStrangerBesideUsIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no [::1]")
	}
	defer l.Close()
	go hangUp(l)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	all, err := listen(t.Context(), Options{Config: config.Config{Listen: "127.0.0.1:" + port}})
	if _, taken := errors.AsType[*TakenError](err); !taken || all != nil {
		t.Fatalf("got %v, %v", all, err)
	}
	again, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatalf("the first address is kept: %v", err)
	}
	again.Close()
}

// TestPortIsHeldBy tells another Filmspool from other programs, and shows nothing of
// their answers but a plain version.
func TestPortIsHeldBy(t *testing.T) {
	for answer, want := range map[string]string{
		`{"service":"filmspool","version":"1.2.3"}`:       "another filmspool 1.2.3",
		`{"service":"filmspool","version":"1\u001b[31m"}`: "another filmspool ",
		`{"service":"other","version":"1.2.3"}`:           "another program",
		"hello":                                           "another program",
		"":                                                "another program",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		address := server.Listener.Addr().String()
		err := PortTaken(t.Context(), Options{Config: config.Config{Listen: address}})
		if err == nil || locale.In("").Error(err) != address+" is held by "+want {
			t.Errorf("%s: %v", answer, err)
		}
		server.Close()
		if err := PortTaken(t.Context(), Options{Config: config.Config{Listen: address}}); err != nil {
			t.Errorf("nobody listens: %v", err)
		}
	}
}
