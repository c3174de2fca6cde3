package replay

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	v1 "github.com/filmspool/filmspool/queue/tracker/v1"
)

// TestSandboxGetsEachOnceThroughFaults is the whole way from the disk to a
// service on the wire, which stumbles as services do.
func TestSandboxGetsEachOnceThroughFaults(t *testing.T) {
	service, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	server := httptest.NewServer(service.Handler())
	defer server.Close()
	client, err := v1.New(v1.Options{BaseURL: server.URL + "/api/v1", Key: service.SecretKey()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, f := range []sandbox.Fault{
		{Match: "POST /history", Fault: "retry-after:1", Times: 1},
		{Match: "POST /history", Fault: "drop-before", Times: 1},
		{Match: "POST /history", Fault: "drop-after", Times: 1},
	} {
		if err := service.Arm(f); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := openStore(t, storePath(t))
	_, stop := quick(t, s, client)
	watch(t, s, "a", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	until(t, s, "deliveries", func(c entry.Counts) bool { return c.Delivered == 10 && c.InDoubt == 2 })
	stop()
	records, err := service.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, r := range records.History {
		keys[r.IdempotencyKey] = true
	}
	// One of the two in doubt has arrived; nothing has arrived twice.
	if len(records.History) != 11 || len(keys) != 11 {
		t.Errorf("%d records with %d keys, want 11", len(records.History), len(keys))
	}
	if a, err := s.Account(t.Context(), "default"); err != nil || !a.Proven {
		t.Errorf("account is %+v, %v", a, err)
	}
}
