package main

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/protocol"
)

// TestAcknowledgedThenKilled kills the daemon with -9 right after it has
// acknowledged a browser's viewing, and starts it again: the viewing arrives,
// once, at its time, and a browser that sends it again is told "duplicate".
func TestAcknowledgedThenKilled(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	box := h.sandbox("127.0.0.1:0")
	h.login(box.baseURL())
	// Paused, so that no request is under way at the kill: that would be a doubt, which takes minutes to read back.
	h.do("", "pause")
	daemon := h.start("run")
	paired := h.pair(daemon)
	seen := protocol.Viewing{ID: "3b241101-e2bb-4255-8caf-4136c566a962", WatchedAt: "2026-03-01T20:15:00+01:00", Count: 1, Media: film(603)}
	ack, err := h.browser(daemon, paired).Viewing(t.Context(), seen)
	daemon.kill()
	if err != nil || ack.Status != "queued" {
		t.Fatalf("acknowledged as %+v, %v", ack, err)
	}

	daemon = h.start("run")
	if ack, err = h.browser(daemon, paired).Viewing(t.Context(), seen); err != nil || ack.Status != "duplicate" {
		t.Errorf("sent again, it is %+v, %v; want duplicate", ack, err)
	}
	h.do("", "resume")
	h.delivered(1)
	records := h.records(box.address)
	want := time.Date(2026, 3, 1, 19, 15, 0, 0, time.UTC)
	if len(records.History) != 1 || records.History[0].ID != 603 || !records.History[0].WatchedAt.Equal(want) {
		t.Errorf("recorded %+v, want film 603 once at %v", records.History, want)
	}
}
