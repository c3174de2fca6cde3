package sandbox

import (
	"fmt"
	"strings"
	"testing"
)

// watched is how many viewings are recorded.
func (p *probe) watched(t *testing.T) int {
	t.Helper()
	records, err := p.Records(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(records.History)
}

func TestRemovalTakesAllOfOneItem(t *testing.T) {
	for name, c := range map[string]struct {
		query         string
		removed, left int
	}{
		"film":             {"type=movie&id=603", 2, 3},
		"episode by id":    {"type=episode&id=603", 1, 4},
		"episode by place": {"type=episode&tvShowId=1396&seasonNumber=1&episodeNumber=2", 1, 4},
		"special":          {"type=episode&tvShowId=1396&seasonNumber=0&episodeNumber=2", 1, 4},
		"none":             {"type=movie&id=5", 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProbe(t, options(t))
			for _, body := range []string{
				`{"type":"movie","id":603,"count":2}`, `{"type":"episode","id":603}`,
				`{"type":"episode","tvShowId":1396,"seasonNumber":1,"episodeNumber":2}`,
				`{"type":"episode","tvShowId":1396,"seasonNumber":0,"episodeNumber":2}`,
			} {
				p.mustBe(t, history(body), 200)
			}
			r := p.mustBe(t, get("/x").as("DELETE", "/api/v1/history?"+c.query).with("x-api-key", testSecret), 200)
			if want := fmt.Sprintf(`{"success":true,"removed":%d}`, c.removed); string(r.body) != want {
				t.Errorf("answered %s, want %s", r.body, want)
			}
			if n := p.watched(t); n != c.left {
				t.Errorf("%d viewings are left, want %d", n, c.left)
			}
		})
	}
}

func TestRemovalIsRefused(t *testing.T) {
	p := newProbe(t, options(t))
	p.mustBe(t, history(`{"type":"movie","id":603}`), 200)
	for _, c := range []struct {
		query, key string
		status     int
		says       string
	}{
		{"type=movie&id=603", testPublic, 403, codeForbidden},
		{"type=movie&id=603", "sk_other", 401, codeUnauthorized},
		{"", testSecret, 400, "type"},
		{"type=tv&id=603", testSecret, 400, "type"},
		{"type=movie", testSecret, 400, "id"},
		{"type=movie&id=x", testSecret, 400, "id"},
		{"type=movie&id=0", testSecret, 400, "id"},
		{"type=episode&tvShowId=1396&seasonNumber=1", testSecret, 400, "episodeNumber"},
		{"type=episode&tvShowId=1396&episodeNumber=1", testSecret, 400, "seasonNumber"},
	} {
		r := p.mustBe(t, get("/x").as("DELETE", "/api/v1/history?"+c.query).with("x-api-key", c.key), c.status)
		if !strings.Contains(string(r.body), c.says) {
			t.Errorf("%s: answered %s, want it to name %s", c.query, r.body, c.says)
		}
	}
	if n := p.watched(t); n != 1 {
		t.Errorf("%d viewings are left, want 1", n)
	}
}
