package tracker

import (
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://tracker.example/api/v1":       "",
		"https://tracker.example/api/v1/":      "https://tracker.example/api/v1",
		"https://Tracker.Example:8443/api/v1":  "https://tracker.example:8443/api/v1",
		"https://tracker.example/sub/api/v1":   "",
		"http://127.0.0.1:8080/api/v1":         "",
		"http://localhost/api/v1":              "",
		"http://[::1]:8080/api/v1":             "",
		"http://[::ffff:127.0.0.1]:80/api/v1/": "http://[::ffff:127.0.0.1]:80/api/v1",
	} {
		u, err := ParseBaseURL(text)
		if want == "" {
			want = text
		}
		if err != nil || u.String() != want {
			t.Errorf("%s: %s, %v", text, u, err)
		}
	}
	bad := []string{
		"", "tracker.example/api/v1", "ftp://tracker.example/api/v1", "https:///api/v1", "https://tracker.example",
		"https://tracker.example/api/v2", "https://tracker.example/api/v1//", "https://tracker.example/api%2Fv1",
		"https://u:hunter2@tracker.example/api/v1", "https://tracker.example/api/v1?key=hunter2", "https://tracker.example/api/v1?",
		"https://tracker.example/api/v1#x", "http://tracker.example/api/v1", "http://10.0.0.1/api/v1",
		"http://127.0.0.1.evil.example/api/v1", "https://u:hunter2@tracker .example/api/v1",
	}
	for _, text := range bad {
		u, err := ParseBaseURL(text)
		if err == nil {
			t.Errorf("%s: accepted as %s", text, u)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("error shows a secret: %v", err)
		}
	}
}

func TestCheckKeyForm(t *testing.T) {
	const readOnly, form = "fault.readKey", "fault.noKeyForm"
	for key, want := range map[string]string{
		"pk_abc": readOnly, "": form, "sk_": form, "abc": form, "SK_abc": form, "sk_a b": form, "sk_abc\n": form, "sk_ä": form,
	} {
		if err := checkKeyForm(key); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %v", key, err, want)
		}
	}
	if err := checkKeyForm("sk_abc"); err != nil {
		t.Error(err)
	}
}

// An address without a scheme or path is completed if the rest is clear. Only loopback addresses get http.
func TestSuggestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"https://tracker.example":          "https://tracker.example/api/v1",
		" https://tracker.example/ ":       "https://tracker.example/api/v1",
		"http://localhost:8080":            "http://localhost:8080/api/v1",
		"127.0.0.1:8799":                   "http://127.0.0.1:8799/api/v1",
		"https://127.0.0.1:8799":           "https://127.0.0.1:8799/api/v1",
		"tracker.example":                  "https://tracker.example/api/v1",
		"http://tracker.example/api/v2/me": "https://tracker.example/api/v1",
		"https://tracker.example/sub/api":  "https://tracker.example/sub/api/v1",
		"tracker":                          "",
		"https://u:p@tracker.example":      "",
		"https://tracker.example?sk_a":     "",
		"sk_a.b":                           "",
		"https://tra cker.example":         "",
	} {
		if got := SuggestAddress(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
