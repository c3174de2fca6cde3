package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// postViewing posts a body to the daemon as a program does.
func (h *household) postViewing(url, token, body string) (int, string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestProgramAddsViewings adds a program, which reports, is known again after a
// kill, and is revoked.
func TestProgramAddsViewings(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	daemon := h.start("run")
	var added struct{ ID, Kind, Label, Token, URL string }
	if err := json.Unmarshal([]byte(h.do("", "sources", "programs", "add", "Home cinema", "--json")), &added); err != nil {
		t.Fatal(err)
	}
	if added.Kind != "program" || added.Label != "Home cinema" || added.URL != "http://"+daemon.address+"/v1/viewings" {
		t.Errorf("added %+v", added)
	}
	const movie = `{"type":"viewing","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11","media":{"type":"movie","ids":{"tmdb":603}},"watchedAt":"2026-03-01T20:15:00+01:00"}`
	const list = `{"type":"list","id":"5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d12","name":"Rainy"}`
	// The same event twice in one body is one event, as it is anywhere else.
	if status, said := h.postViewing(added.URL, added.Token, "["+movie+","+list+","+movie+"]"); status != 200 ||
		strings.Count(said, `"queued"`) != 2 || strings.Count(said, `"duplicate"`) != 1 {
		t.Errorf("%d %s", status, said)
	}
	out := h.do("", "diary", "--json", "--source", "program:"+added.ID)
	if strings.Count(out, `"eventId"`) != 2 {
		t.Errorf("queue: %s", out)
	}
	daemon.kill()
	daemon = h.start("run")
	added.URL = "http://" + daemon.address + "/v1/viewings"
	if status, said := h.postViewing(added.URL, added.Token, movie); status != 200 || !strings.Contains(said, `"duplicate"`) {
		t.Errorf("after kill -9: %d %s", status, said)
	}
	h.do("", "sources", "programs", "remove", added.ID)
	if status, said := h.postViewing(added.URL, added.Token, movie); status != 401 {
		t.Errorf("revoked: %d %s", status, said)
	}
}
