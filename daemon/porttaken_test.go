package daemon

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/holder"
)

func TestListenNamesTheHolder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	address := l.Addr().String()
	at := func(address string) Options {
		return Options{Config: config.Config{Listen: address}, Paths: config.Paths{File: "/etc/filmspool/config.toml"}}
	}
	_, err = listen(t.Context(), at(address))
	taken, ok := errors.AsType[*TakenError](err)
	if !ok || !errors.Is(err, config.ErrInvalid) || !strings.HasPrefix(err.Error(), address+" is held by ") {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(taken.Hint(), "write listen = ") {
		t.Errorf("hint %q", taken.Hint())
	}
	// An address that is nobody's is no holder's fault.
	if _, err := listen(t.Context(), at("192.0.2.1:43456")); !errors.Is(err, config.ErrInvalid) || strings.Contains(err.Error(), "held by") {
		t.Errorf("got %v", err)
	}
	if PortTaken(t.Context(), at("127.0.0.1:0")) != nil {
		t.Error("port 0 is held")
	}
}

func TestTakenHints(t *testing.T) {
	for _, c := range []struct {
		h    holder.Holder
		want string
	}{
		{holder.Holder{Address: "127.0.0.1:43456"}, `write listen = "127.0.0.1:43457" into /c.toml`},
		{holder.Holder{Address: "[::1]:65535"}, `write listen = "127.0.0.1:43457" into /c.toml`},
		{
			holder.Holder{Address: "127.0.0.1:43456", Filmspool: true},
			`stop that one, or write listen = "127.0.0.1:43457" into /c.toml`,
		},
		{holder.Holder{Address: "127.0.0.1:43456", Filmspool: true, Service: holder.OfMachine}, "sudo filmspool --system service stop"},
	} {
		if got := (&TakenError{c.h, "/c.toml"}).Hint(); got != c.want {
			t.Errorf("%+v: %q", c.h, got)
		}
	}
}
