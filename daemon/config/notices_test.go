package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoticesThatAreWrongAreTold(t *testing.T) {
	_, err := Load(write(t, `
[notices]
desktop = true
[notices.webhook]
url = "http://ntfy.example/topic"
`), true, env(), Overrides{})
	if want := `notices.webhook.url: "http://ntfy.example/topic" does not begin with https:// (line 5)`; err == nil || !strings.Contains(told(err), want) {
		t.Errorf("it does not say %q: %v", want, err)
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
