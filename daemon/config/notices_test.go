package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNoticesThatAreWrongAreTold(t *testing.T) {
	_, err := Load(write(t, `
[notices]
severity = "worst"
quiet = "22-8"
command = ["tell", "me"]
[notices.webhook]
url = "http://ntfy.example/topic"
`), true, env(), Overrides{})
	for _, want := range []string{
		`notices.severity: "worst" is not one of needs you, soon, note (line 3)`,
		`notices.quiet: "22-8" are no hours such as "22:00-08:00" (line 4)`,
		`notices.command: "tell" is not an absolute path of a program (line 5)`,
		`notices.webhook.url: "http://ntfy.example/topic" does not begin with https:// (line 7)`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if _, err := Load(write(t, "[notices]\ncommand = \"tell\"\n"), true, env(), Overrides{}); err == nil || !strings.Contains(err.Error(), "a list of texts in quotes is wanted here") {
		t.Error(err)
	}
	for _, quiet := range []string{"22:00", "08:00-08:00", "22:00-25:00", "-", "22:00-08:00-09:00"} {
		if _, err := Load(write(t, "[notices]\nquiet = '"+quiet+"'\n"), true, env(), Overrides{}); err == nil {
			t.Errorf("%q are hours", quiet)
		}
	}
}

// TestQuietHours by the clock on the wall, also where that is put forward and back.
func TestQuietHours(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hours, at string
		left      time.Duration
	}{
		{"", "2026-01-01T23:00:00+01:00", 0},
		{"22:00-08:00", "2026-01-01T21:59:59+01:00", 0},
		{"22:00-08:00", "2026-01-01T22:00:00+01:00", 10 * time.Hour},
		{"22:00-08:00", "2026-01-02T07:59:30+01:00", 30 * time.Second},
		{"22:00-08:00", "2026-01-02T08:00:00+01:00", 0},
		{"12:30-14:00", "2026-01-02T13:00:00+01:00", time.Hour},
		{"12:30-14:00", "2026-01-02T14:00:00+01:00", 0},
		{"02:15-02:45", "2026-03-29T01:59:00+01:00", 0}, // the clock goes from 2:00 to 3:00
		{"02:15-02:45", "2026-03-29T03:00:00+02:00", 0},
		{"01:00-02:30", "2026-03-29T03:00:00+02:00", 0},
		{"22:00-08:00", "2026-03-29T07:59:00+02:00", time.Minute},
		{"02:15-02:45", "2026-10-25T02:20:00+02:00", 25 * time.Minute}, // this time comes twice
		{"02:15-02:45", "2026-10-25T02:20:00+01:00", 25 * time.Minute},
		{"22:00-08:00", "2026-10-25T08:00:00+01:00", 0},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		var h Hours
		if err := h.UnmarshalText([]byte(c.hours)); err != nil || h.wrong {
			t.Fatal(c.hours, err)
		}
		if left := h.Left(at.In(berlin)); left != c.left {
			t.Errorf("%q at %s: %s left, want %s", c.hours, c.at, left, c.left)
		}
	}
}

func TestTheWebhooksTokenIsKeptAsKeysAre(t *testing.T) {
	dir := t.TempDir()
	k := Keys{Dir: dir, Getenv: func(string) string { return "" }}
	if token, err := k.Webhook(); err != nil || !token.IsZero() {
		t.Errorf("without one: %v", err)
	}
	file := filepath.Join(dir, "keys", "webhook-token")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("tk_1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if token, err := k.Webhook(); err != nil || token.Reveal() != "tk_1" {
		t.Errorf("in a file: %v", err)
	}
	handed := t.TempDir()
	if err := os.WriteFile(filepath.Join(handed, "webhook-token"), []byte("tk_2"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.Getenv = func(name string) string { return map[string]string{"CREDENTIALS_DIRECTORY": handed}[name] }
	if token, err := k.Webhook(); err != nil || token.Reveal() != "tk_2" {
		t.Errorf("from systemd: %v", err)
	}
}
