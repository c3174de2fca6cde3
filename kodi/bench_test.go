package kodi

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
	z := around{machine: time.UTC}
	known := &memory{meta: meta{ID: "lib"}, files: map[string]record{}}
	known.apply(decide(known, shown(files...), now, z))
	if imported {
		p, err := makePlan(b.Context(), newReading(known, shown(files...), now, z), nil, "kodi:/u", ImportOptions{})
		if err != nil {
			b.Fatal(err)
		}
		known.apply(p.verdict(known, p.plays, now))
	}
	files[0].PlayCount, files[0].LastPlayed = 1, "2026-03-02 02:00:59"
	for b.Loop() {
		if v := decide(known, shown(files...), now.Add(time.Minute), z); len(v.viewings) != 1 {
			b.Fatal("not one viewing")
		}
	}
}
