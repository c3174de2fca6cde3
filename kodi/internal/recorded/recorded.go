// Package recorded keeps libraries that a real Kodi wrote, for tests.
// Its testdata/README.md tells what they hold.
package recorded

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed testdata
var states embed.FS

// Library unpacks a library that a real Kodi wrote into a Database folder of its
// own, and gives the path of its file. Its journal or log lies beside it. States
// are the folders of testdata.
func Library(t testing.TB, state string) (file string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "Database")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	packed, err := states.ReadDir(path.Join("testdata", state))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range packed {
		to := filepath.Join(folder, strings.TrimSuffix(entry.Name(), ".gz"))
		if err := unpack(path.Join("testdata", state, entry.Name()), to); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(to, ".db") {
			file = to
		}
	}
	return file
}

func unpack(name, to string) error {
	packed, err := states.ReadFile(name)
	if err != nil {
		return err
	}
	content, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	all, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return os.WriteFile(to, all, 0o644)
}
