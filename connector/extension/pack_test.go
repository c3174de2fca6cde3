package extension_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector/extension"
)

// source is the extension as it is written.
var source = os.DirFS("source")

// pack returns the files of an archive.
func pack(t *testing.T, family string) map[string][]byte {
	t.Helper()
	archive, err := extension.Pack(family)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := extension.Pack(family); !bytes.Equal(archive, again) {
		t.Errorf("%s: two packs differ", family)
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{}
	for _, f := range r.File {
		if contents[f.Name], err = fs.ReadFile(r, f.Name); err != nil {
			t.Fatal(err)
		}
	}
	return contents
}

// decode reads an object of JSON.
func decode(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// An archive has every script, page, text and picture of the source as it is, every file that
// the manifest names, and the rules as one module.
func TestPackHoldsTheSource(t *testing.T) {
	for _, family := range []string{"chromium", "firefox"} {
		contents := pack(t, family)
		want := map[string]any{}
		err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || name == "manifest.json" || name == "sites/rules.js" || path.Ext(name) == ".md" {
				return err
			}
			text, err := fs.ReadFile(source, name)
			if site, ok := strings.CutPrefix(name, "sites/"); ok && path.Ext(site) == ".json" {
				want[strings.TrimSuffix(site, ".json")] = decode(t, text)
			} else if !bytes.Equal(contents[name], text) {
				t.Errorf("%s: %s is packed with %d bytes, and has %d", family, name, len(contents[name]), len(text))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		module := bytes.TrimSuffix(bytes.TrimPrefix(contents["sites/rules.js"], []byte("export const files = ")), []byte(";\n"))
		if diff := cmp.Diff(want, decode(t, module)); diff != "" {
			t.Errorf("%s: the rules (-want +got)\n%s", family, diff)
		}
		for _, name := range regexp.MustCompile(`[\w/-]+/[\w-]+\.(?:js|html|png)`).FindAllString(string(contents["manifest.json"]), -1) {
			if _, ok := contents[name]; !ok {
				t.Errorf("%s: the manifest names %s, which is not there", family, name)
			}
		}
	}
}

// TestManifests: each family gets what it reads; all else is equal.
func TestManifests(t *testing.T) {
	whole, err := fs.ReadFile(source, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	base := decode(t, whole)
	want := map[string]struct {
		background map[string]any
		without    []string
	}{
		"chromium": {map[string]any{"service_worker": "background/main.js", "type": "module"}, []string{"browser_specific_settings"}},
		"firefox":  {map[string]any{"scripts": []any{"background/main.js"}, "type": "module"}, []string{"key", "minimum_chrome_version"}},
	}
	for family, w := range want {
		contents := pack(t, family)
		expected := maps.Clone(base)
		expected["background"] = w.background
		for _, key := range w.without {
			if _, ok := expected[key]; !ok {
				t.Errorf("the source's manifest has no %s", key)
			}
			delete(expected, key)
		}
		if diff := cmp.Diff(expected, decode(t, contents["manifest.json"])); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", family, diff)
		}
	}
}

// TestManifestAsksForNoMore fails when the extension wants more than its user
// was told of.
func TestManifestAsksForNoMore(t *testing.T) {
	text, err := fs.ReadFile(source, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	keys := decode(t, text)
	for key, want := range map[string]any{
		"manifest_version":          3.0,
		"incognito":                 "not_allowed",
		"permissions":               []any{"activeTab", "alarms", "scripting", "storage", "unlimitedStorage"},
		"optional_host_permissions": []any{"*://*/*"},
		"host_permissions":          nil,
		"content_scripts":           nil,
		"web_accessible_resources":  nil,
		"externally_connectable":    nil,
		"optional_permissions":      nil,
	} {
		if diff := cmp.Diff(want, keys[key]); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", key, diff)
		}
	}
	policy, _ := keys["content_security_policy"].(map[string]any)["extension_pages"].(string)
	for directive := range strings.SplitSeq(policy, ";") {
		words := strings.Fields(directive)
		for _, source := range words[1:] {
			local := strings.HasPrefix(source, "ws://127.0.0.1:") || strings.HasPrefix(source, "http://127.0.0.1:") ||
				strings.HasPrefix(source, "ws://localhost:") || strings.HasPrefix(source, "http://localhost:")
			if source != "'self'" && source != "'none'" && (words[0] != "connect-src" || !local) {
				t.Errorf("the policy allows %s %s", words[0], source)
			}
		}
	}
	// Without a policy of its own Firefox turns ws:// into wss://.
	if !strings.Contains(policy, "connect-src ws://127.0.0.1:*") || strings.Contains(policy, "upgrade-insecure-requests") {
		t.Errorf("policy %q", policy)
	}
}

// TestKey: the key in the manifest fixes the id that Chromium gives to the
// extension, and with it the Origin that a pairing is bound to.
func TestKey(t *testing.T) {
	text, err := fs.ReadFile(source, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	key, _ := decode(t, text)["key"].(string)
	der, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(der)
	id := strings.Map(func(digit rune) rune {
		if digit >= 'a' {
			return digit - 'a' + 'k'
		}
		return digit - '0' + 'a'
	}, hex.EncodeToString(sum[:16]))
	if id != "malcnbgikakfabbppiiiflpghieomihd" {
		t.Errorf("the id is now %s: everybody would have to pair again", id)
	}
}
