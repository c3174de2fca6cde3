package extension_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector/extension"
)

func source(t *testing.T) fs.FS {
	t.Helper()
	files, err := extension.Source()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func pack(t *testing.T, files fs.FS, target extension.Target) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := extension.Pack(&out, files, target); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open reads an archive back: names in their order, and contents.
func open(t *testing.T, archive []byte) ([]*zip.File, map[string][]byte) {
	t.Helper()
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
	return r.File, contents
}

func manifestOf(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestPackIsReproducible packs the same files from the program and from two
// folders whose files were made in another order, at other times, with other
// modes.
func TestPackIsReproducible(t *testing.T) {
	files := source(t)
	var names []string
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	backwards := slices.Clone(names)
	slices.Reverse(backwards)
	for _, target := range extension.Targets() {
		want := pack(t, files, target)
		for i, order := range [][]string{names, backwards} {
			dir := t.TempDir()
			copyTo(t, files, dir, order, []fs.FileMode{0o600, 0o755}[i])
			if got := pack(t, os.DirFS(dir), target); !bytes.Equal(got, want) {
				t.Errorf("%s: other bytes from a copy of the source", target)
			}
		}
	}
}

func copyTo(t *testing.T, files fs.FS, dir string, names []string, mode fs.FileMode) {
	t.Helper()
	for i, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, name)
		at := time.Date(2001, 2, 3, 4, 5, i%60, 0, time.UTC)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, mode), os.Chtimes(to, at, at)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPackHoldsTheSourceAndNothingElse(t *testing.T) {
	files := source(t)
	for _, target := range extension.Targets() {
		entries, contents := open(t, pack(t, files, target))
		names := make([]string, 0, len(entries))
		for _, e := range entries {
			names = append(names, e.Name)
			if e.Method != zip.Store || e.Mode() != 0o644 || e.Modified.Year() != 1980 || e.Flags&8 != 0 {
				t.Errorf("%s: %s: method %d, mode %v, time %v, flags %x", target, e.Name, e.Method, e.Mode(), e.Modified, e.Flags)
			}
			if want, err := fs.ReadFile(files, e.Name); err != nil {
				t.Errorf("%s: %v", target, err)
			} else if e.Name != "manifest.json" && !bytes.Equal(want, contents[e.Name]) {
				t.Errorf("%s: %s was changed", target, e.Name)
			}
		}
		if slices.Contains(names, "sites/README.md") {
			t.Errorf("%s: it has a page for contributors", target)
		}
		if len(names) < 20 || !slices.Contains(names, "_locales/en/messages.json") {
			t.Errorf("%s: only %v", target, names)
		}
	}
}

// TestManifests: each family gets what it reads; all else is equal.
func TestManifests(t *testing.T) {
	whole, err := fs.ReadFile(source(t), "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	base := manifestOf(t, whole)
	want := map[extension.Target]struct {
		background map[string]any
		without    []string
	}{
		extension.Chromium: {map[string]any{"service_worker": "background/main.js", "type": "module"}, []string{"browser_specific_settings"}},
		extension.Firefox:  {map[string]any{"scripts": []any{"background/main.js"}, "type": "module"}, []string{"key", "minimum_chrome_version"}},
	}
	for target, w := range want {
		_, contents := open(t, pack(t, source(t), target))
		expected := maps.Clone(base)
		expected["background"] = w.background
		for _, key := range w.without {
			if _, ok := expected[key]; !ok {
				t.Errorf("the source's manifest has no %s", key)
			}
			delete(expected, key)
		}
		if diff := cmp.Diff(expected, manifestOf(t, contents["manifest.json"])); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", target, diff)
		}
	}
}

// TestManifestAsksForNoMore fails when the extension wants more than its user
// was told of.
func TestManifestAsksForNoMore(t *testing.T) {
	text, err := fs.ReadFile(source(t), "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	keys := manifestOf(t, text)
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
	text, err := fs.ReadFile(source(t), "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	key, _ := manifestOf(t, text)["key"].(string)
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

// TestManifestNamesFiles: every file that the manifest names is there.
func TestManifestNamesFiles(t *testing.T) {
	for _, target := range extension.Targets() {
		_, contents := open(t, pack(t, source(t), target))
		var look func(value any)
		look = func(value any) {
			switch v := value.(type) {
			case map[string]any:
				for _, each := range v {
					look(each)
				}
			case []any:
				for _, each := range v {
					look(each)
				}
			case string:
				file := strings.Contains(v, "/") && (strings.HasSuffix(v, ".js") || strings.HasSuffix(v, ".html") || strings.HasSuffix(v, ".png"))
				if _, ok := contents[v]; file && !ok {
					t.Errorf("%s: the manifest names %s, which is not there", target, v)
				}
			}
		}
		look(manifestOf(t, contents["manifest.json"]))
	}
}

func TestPackRefuses(t *testing.T) {
	good := `{"version":"1.0","background":{"scripts":[],"service_worker":"x"}}`
	for name, files := range map[string]fstest.MapFS{
		"an editor's leftover": {"manifest.json": {Data: []byte(good)}, "a.js.swp": {}},
		"a hidden file":        {"manifest.json": {Data: []byte(good)}, ".env.json": {}},
		"a link":               {"manifest.json": {Data: []byte(good)}, "a.js": {Mode: fs.ModeSymlink}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := extension.Pack(&bytes.Buffer{}, files, extension.Firefox); !errors.Is(err, extension.ErrStray) {
				t.Errorf("got %v", err)
			}
		})
	}
	for name, text := range map[string]string{"no manifest": "", "not JSON": "{", "no background": `{"version":"1.0"}`} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{"manifest.json": {Data: []byte(text)}}
			if text == "" {
				files = fstest.MapFS{"a.js": {}}
				if _, err := extension.Version(files); err == nil {
					t.Error("it has a version")
				}
				return
			}
			if err := extension.Pack(&bytes.Buffer{}, files, extension.Chromium); err == nil {
				t.Error("it was packed")
			}
		})
	}
	if err := extension.Pack(&bytes.Buffer{}, fstest.MapFS{"manifest.json": {Data: []byte(good)}}, "safari"); err == nil {
		t.Error("packed for safari")
	}
}

func TestVersionAndName(t *testing.T) {
	version, err := extension.Version(source(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := extension.Name(version, extension.Firefox), "filmspool-"+version+"-firefox.zip"; got != want || version == "" {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := extension.Version(fstest.MapFS{"manifest.json": {Data: []byte("{}")}}); err == nil {
		t.Error("a manifest without a version has one")
	}
}
