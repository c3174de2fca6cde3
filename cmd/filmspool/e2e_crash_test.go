package main

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/client"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	extension = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	secretKey = "sk_householdsecret1"
)

// TestAcknowledgedThenKilled kills the daemon with -9 right after it has
// acknowledged a browser's viewing, and starts it again: the viewing arrives,
// once, at its time, and a browser that sends it again hears "duplicate".
func TestAcknowledgedThenKilled(t *testing.T) {
	h := newHousehold(t)
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", h.dir+"/box", "--secret-key", secretKey)
	h.do(secretKey, "login", "--base-url", "http://"+box.address+"/api/v1", "--key-stdin")
	box.kill()
	// Paused, so that no request is under way at the kill: that one would have to be read back, which takes minutes.
	h.do("", "pause")
	daemon := h.start("run")
	options := client.Options{URL: "ws://" + daemon.address + "/v1/connector", Origin: extension, Info: protocol.ClientInfo{Name: "test", Version: "1"}}
	browser, err := client.Dial(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if options.ClientID, options.Token, err = browser.Pair(t.Context(), h.code(), "living room"); err != nil {
		t.Fatal(err)
	}
	seen := protocol.Viewing{
		ID: "3b241101-e2bb-4255-8caf-4136c566a962", WatchedAt: "2026-03-01T20:15:00+01:00", Count: 1,
		Media: viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}},
	}
	ack, err := browser.Viewing(t.Context(), seen)
	daemon.kill()
	if err != nil || ack.Status != "queued" {
		t.Fatalf("acknowledged as %+v, %v", ack, err)
	}
	browser.Close()

	again := h.start("run")
	options.URL = "ws://" + again.address + "/v1/connector"
	if browser, err = client.Dial(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	if ack, err = browser.Viewing(t.Context(), seen); err != nil || ack.Status != "duplicate" {
		t.Errorf("sent again, it is %+v, %v; want duplicate", ack, err)
	}
	// The box comes back where it was.
	box = h.start("sandbox", "--listen", box.address, "--state-dir", h.dir+"/box", "--secret-key", secretKey)
	h.do("", "resume")
	h.delivered(1)
	records := h.records(box.address)
	want := time.Date(2026, 3, 1, 19, 15, 0, 0, time.UTC)
	if len(records.History) != 1 || records.History[0].ID != 603 || !records.History[0].WatchedAt.Equal(want) {
		t.Errorf("recorded %+v, want film 603 once at %v", records.History, want)
	}
}
