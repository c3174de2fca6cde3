package rule

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// A library of 35,000 files of which one was just played.
func BenchmarkDecide(b *testing.B) {
	for name, imported := range map[string]bool{"fresh": false, "imported": true} {
		b.Run(name, func(b *testing.B) { benchmarkDecide(b, imported) })
	}
}

func benchmarkDecide(b *testing.B, imported bool) {
	files := make([]snapshot.File, 35000)
	for i := range files {
		files[i] = film(int64(i+1), i%2, "2025-01-01 20:00:00")
		files[i].Path = fmt.Sprintf("/srv/films/%d/film %d.mkv", i, i)
	}
	now := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	z := Around{Machine: time.UTC}
	known := NewMemory("lib")
	known.Apply(Decide(known, shown(files...), now, z))
	if imported {
		p := Remember(known, shown(files...), now, z).Plan(Heard{}, PlanOptions{})
		known.Apply(p.Verdict(known, 0, len(p.plays), now))
	}
	files[0].PlayCount, files[0].LastPlayed = 1, "2026-03-02 02:00:59"
	for b.Loop() {
		if v := Decide(known, shown(files...), now.Add(time.Minute), z); len(v.Viewings) != 1 {
			b.Fatal("not one viewing")
		}
	}
}
