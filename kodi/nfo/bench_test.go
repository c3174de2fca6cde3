package nfo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shelf makes a tree of n NFO files in folders of 20, as an export leaves it.
func shelf(b *testing.B, n int) string {
	b.Helper()
	root := b.TempDir()
	text, err := os.ReadFile("testdata/film.nfo")
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("shelf %d", i/20))
		if i%20 == 0 {
			if err := os.Mkdir(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		file := filepath.Join(dir, fmt.Sprintf("Film %d.nfo", i))
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "603", fmt.Sprint(i+1))), 0o600); err != nil {
			b.Fatal(err)
		}
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(file, past, past); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

const shelfSize = 2000

// BenchmarkFirst reads a tree for the first time; BenchmarkCat is what
// reading alone costs.
func BenchmarkFirst(b *testing.B) {
	root := shelf(b, shelfSize)
	for b.Loop() {
		snap, _, err := New(root).Read(b.Context())
		if err != nil || len(snap.Files) != shelfSize {
			b.Fatal(err, len(snap.Files))
		}
	}
	b.ReportMetric(shelfSize*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}

func BenchmarkCat(b *testing.B) {
	root := shelf(b, shelfSize)
	for b.Loop() {
		if err := exec.CommandContext(b.Context(), "sh", "-c", "find '"+root+"' -name '*.nfo' -exec cat {} + >/dev/null").Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(shelfSize*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}

// BenchmarkAgain reads a tree in which nothing changed.
func BenchmarkAgain(b *testing.B) {
	r := New(shelf(b, shelfSize))
	if _, _, err := r.Read(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, tree, err := r.Read(b.Context()); err != nil || tree.Changed {
			b.Fatal(err, tree.Changed)
		}
	}
	b.ReportMetric(shelfSize*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}
