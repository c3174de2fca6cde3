package tenure_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/tenure"
)

// TestWhoKnocksBetweenInstancesWaits for the next one, at the same port.
func TestWhoKnocksBetweenInstancesWaits(t *testing.T) {
	var all tenure.Tenure[string]
	defer all.Close()
	open := func() ([]net.Listener, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		return []net.Listener{l}, err
	}
	listen := func(address string) net.Listener {
		t.Helper()
		some, err := all.Listen(address, open)
		if err != nil {
			t.Fatal(err)
		}
		return some[0]
	}
	first := listen("a")
	address := first.Addr().String()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Accept(); err == nil {
		t.Fatal("it lets somebody in")
	}
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		t.Fatalf("who knocks is refused: %v", err)
	}
	defer conn.Close()
	second := listen("a")
	if second.Addr().String() != address {
		t.Fatalf("it listens at %v", second.Addr())
	}
	inside, err := second.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(inside, "x"); err != nil || inside.Close() != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); err != nil || string(text) != "x" {
		t.Errorf("%v: heard %q", err, text)
	}
	if third := listen("b"); third.Addr().String() == address {
		t.Errorf("elsewhere is %v", third.Addr())
	}
	if _, err := net.DialTimeout("tcp", address, 10*time.Second); err == nil {
		t.Error("the old port is still open")
	}
	if token := all.Token(); token == "" || token != all.Token() {
		t.Error("the token changes")
	}
}

// TestWhatCannotBeginIsTriedOnce: then the one before follows. What began and ended by
// itself is no question of the configuration.
func TestWhatCannotBeginIsTriedOnce(t *testing.T) {
	var all tenure.Tenure[string]
	old, next := "old", "new"
	failed := errors.New("no")
	if got := all.End(failed); got != nil {
		t.Errorf("one that never began is followed by %q", *got)
	}
	if all.Begin(&old) {
		t.Error("the first has begun before")
	}
	if got := all.End(failed); got != nil {
		t.Errorf("one that began is followed by %q", *got)
	}
	all.Begin(&old)
	all.Follow(&next)
	if got := all.End(nil); !all.Follows() && got != &next {
		t.Errorf("followed by %v", got)
	}
	if got := all.End(failed); got != &old || all.Problem() != "no" {
		t.Errorf("followed by %v: %q", got, all.Problem())
	}
	if got := all.End(failed); got != nil {
		t.Errorf("followed again by %q", *got)
	}
	all.Begin(&old)
	if all.Problem() != "no" {
		t.Error("the problem is forgotten")
	}
	all.Follow(&next)
	all.End(nil)
	if !all.Begin(&next) || all.Problem() != "" {
		t.Errorf("taken in, with problem %q", all.Problem())
	}
}
