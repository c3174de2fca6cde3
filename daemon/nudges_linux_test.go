package daemon

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
)

// TestNetworkWakesWhatWaits goes the whole way, from a change of a real
// network, of this test's own, to the delivery.
func TestNetworkWakesWhatWaits(t *testing.T) {
	const inside = "DAEMON_TEST_INSIDE"
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("takes half a minute, and needs root and the program ip")
	}
	if os.Getenv(inside) == "" {
		t.Parallel()
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), inside+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	ip := func(arguments string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "ip", strings.Fields(arguments)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v\n%s", arguments, err, out)
		}
	}
	ip("link set lo up")
	offlineDaemon(t, func(ctx context.Context, d *Daemon, start func()) {
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- d.watchForNudges(ctx) }()
		defer func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		addFilm(t, d, "one")
		const enough = 8 * time.Second // for the news to settle, and the spread
		settled(t, d, "a long back-off", func() bool {
			h := d.accounts[0].loop.Health()
			return h.State == account.Offline && time.Until(h.NextTry) > enough
		})
		usual := d.accounts[0].loop.Health().NextTry
		start()
		ip("link add one type veth peer name two")
		ip("link set one up")
		ip("address add 192.0.2.1/24 dev one")
		settled(t, d, "delivered", func() bool {
			c, err := d.store.Counts(ctx)
			return err == nil && c.Delivered == 1
		})
		if now := time.Now(); !now.Before(usual) {
			t.Errorf("delivered at %s, and would have been at %s without a nudge", now, usual)
		}
	})
}
