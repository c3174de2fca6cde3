package queue

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
)

// Reading changes nothing, however the last run has ended.
func TestReadingChangesNothing(t *testing.T) {
	s := peopled(t, 40)
	want := s.states(t)
	left := crashed(t, s)
	s.stop()
	for name, path := range map[string]string{"clean": s.path, "crashed": left} {
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := OpenReading(t.Context(), Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			got := (&opened{Store: r}).states(t)
			if len(got) != len(want) {
				t.Errorf("%d events, want %d", len(got), len(want))
			}
			var out bytes.Buffer
			if _, err := r.Export(t.Context(), &out); err != nil || out.Len() == 0 {
				t.Errorf("export: %v", err)
			}
			copied := filepath.Join(t.TempDir(), "copy.db")
			if err := r.Backup(t.Context(), copied); err != nil {
				t.Error(err)
			}
			if err := r.Acknowledge(t.Context(), 1); !errors.Is(err, sqlite.ErrStorage) {
				t.Errorf("a write: %v, want that it is refused", err)
			}
			if err := errors.Join(r.Close(), r.Close()); err != nil {
				t.Error(err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed, %v", err)
			}
			if name == "clean" && !slices.Equal(files(t, path), []string{path, path + "-count"}) {
				t.Errorf("left %v", files(t, path))
			}
		})
	}
}

// What cannot be read is told, and stays as it is.
func TestReadingWhatCannotBeRead(t *testing.T) {
	s := peopled(t, 5)
	s.stop()
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		content []byte
		want    error
	}{
		"nothing":         {nil, sqlite.ErrNone},
		"another program": {append([]byte("GIF89a"), make([]byte, 9000)...), sqlite.ErrDamaged},
		"cut":             {whole[:3*pageSize], sqlite.ErrDamaged},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "queue.db")
			if tt.content != nil {
				if err := os.WriteFile(path, tt.content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := OpenReading(t.Context(), Options{Path: path})
			if err == nil {
				_, err = r.Entries(t.Context(), entry.Filter{})
				if sqlite.Damaged(err) {
					err = errors.Join(sqlite.ErrDamaged, err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if left := files(t, filepath.Join(dir, "*")); len(left) != min(1, len(tt.content)) {
				t.Errorf("left %v", left)
			}
		})
	}
}
