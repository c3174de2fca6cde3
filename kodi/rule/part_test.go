package rule

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// twins are two memories of one library: one is fed with readings in full, the
// other with readings in part.
type twins struct {
	sim         *kodisim.Sim
	db          *sql.DB
	items       []kodisim.Ref
	show        kodisim.Ref
	full, part  *Memory
	names       string
	few, titles int
	now         time.Time
}

func newTwins(t *rapid.T, dir string) *twins {
	sim, err := kodisim.Create(dir, rapid.SampledFrom([]int{121, 131}).Draw(t, "schema"))
	check(t, err)
	db, err := sql.Open("sqlite", sim.Path())
	check(t, err)
	empty := func() *Memory { return NewMemory("lib") }
	w := &twins{
		sim: sim, db: db, full: empty(), part: empty(), now: time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC),
		few: rapid.SampledFrom([]int{0, manyOpen}).Draw(t, "few"),
	}
	w.show, err = sim.AddShow(kodisim.Show{Title: "Red", IDs: viewing.IDs{TMDB: 1396}}, w.now)
	check(t, err)
	w.add(t)
	w.read(t)
	return w
}

func check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *twins) close() {
	_ = w.sim.Close()
	_ = w.db.Close()
}

// add scans a film or a file of episodes in.
func (w *twins) add(t *rapid.T) {
	w.titles++
	ids := viewing.IDs{TMDB: rapid.Int64Range(0, 4).Draw(t, "tmdb")} // few, so that some are claimed twice
	claim := kodisim.Claim{PlayCount: rapid.IntRange(0, 1).Draw(t, "count"), ReadAt: w.now}
	if rapid.Bool().Draw(t, "film") {
		ref, err := w.sim.AddFilm(kodisim.Film{Title: fmt.Sprint("Film ", w.titles), IDs: ids, Duration: time.Hour, Claim: claim}, w.now)
		check(t, err)
		w.items = append(w.items, ref)
		return
	}
	f := kodisim.EpisodeFile{Path: fmt.Sprintf("/media/series/Red/%d.mkv", w.titles), Duration: time.Hour, Claim: claim}
	for n := range rapid.IntRange(1, 2).Draw(t, "episodes") {
		f.Episodes = append(f.Episodes, kodisim.Episode{Season: 1, Number: 10*w.titles - n, IDs: ids})
	}
	refs, err := w.sim.AddEpisodeFile(w.show, f, w.now)
	check(t, err)
	w.items = append(w.items, refs...)
}

// act does something to one of the items.
func (w *twins) act(what func(kodisim.Ref) error) func(*rapid.T) {
	return func(t *rapid.T) {
		if len(w.items) > 0 {
			check(t, what(rapid.SampledFrom(w.items).Draw(t, "item")))
		}
	}
}

func (w *twins) sql(query string, args ...any) func(*rapid.T) {
	return func(t *rapid.T) {
		_, err := w.db.Exec(query, args...)
		check(t, err)
	}
}

func (w *twins) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"scan":   w.add,
		"play":   w.act(func(r kodisim.Ref) error { return w.sim.Play(r, w.now) }),
		"part":   w.act(func(r kodisim.Ref) error { return w.sim.PartialPlay(r, w.now, 10*time.Minute) }),
		"mark":   w.act(func(r kodisim.Ref) error { return w.sim.Mark(r, w.now) }),
		"unmark": w.act(func(r kodisim.Ref) error { return w.sim.Unmark(r) }),
		"remote": w.act(func(r kodisim.Ref) error { return w.sim.SetPlayCount(r, 3, w.now) }),
		"loose":  func(t *rapid.T) { check(t, w.sim.PlayFile("/media/films/Loose.mkv", w.now)) },
		"refresh": func(t *rapid.T) {
			ids := viewing.IDs{TMDB: rapid.Int64Range(0, 4).Draw(t, "tmdb")}
			place := rapid.IntRange(0, max(len(w.items)-1, 0)).Draw(t, "item")
			if place < len(w.items) {
				ref, err := w.sim.Refresh(w.items[place], kodisim.Refreshed{IDs: &ids})
				check(t, err)
				w.items[place] = ref
			}
		},
		"rename in place":   w.sql(`update uniqueid set value = value % 4 + 1 where media_type <> 'tvshow'`),
		"number in place":   w.sql(`update episode set c13 = c13 + 1`),
		"another series id": w.sql(`update uniqueid set value = value + 1 where media_type = 'tvshow'`),
		"another title":     w.sql(`update movie set c00 = c00 || '!'`),
		"wait": func(t *rapid.T) {
			w.now = w.now.Add(time.Duration(rapid.SampledFrom([]int{1, 20, 90, 3000, 50000}).Draw(t, "minutes")) * time.Minute)
		},
		"": w.read,
	}
}

// read compares both ways to read.
func (w *twins) read(t *rapid.T) {
	w.now = w.now.Add(time.Second)
	z := Around{Machine: time.UTC}
	whole, err := library.Read(context.Background(), w.sim.Path(), snapshot.Part{})
	check(t, err)
	want := Decide(w.full, whole, w.now, z)
	some, err := library.Read(context.Background(), w.sim.Path(), w.part.part(w.names, w.now, w.few))
	check(t, err)
	got := Decide(w.part, some, w.now, z)
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("a reading in full says\n%+v\nand one in part\n%+v", want, got)
	}
	w.full.Apply(want)
	w.part.Apply(got)
	w.names = some.Names
}

// A reading in part says the same as one in full.
func TestPartSaysTheSame(t *testing.T) {
	fewer(t, "15") // each writes and reads a library some sixty times
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		check(r, err)
		w := newTwins(r, dir)
		defer w.close()
		r.Repeat(w.actions())
	})
}

// fewer makes this test's checks fewer, unless others than the usual are
// asked for.
func fewer(t *testing.T, checks string) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if usual := f.DefValue; f.Value.String() == usual {
		_ = f.Value.Set(checks)
		t.Cleanup(func() { _ = f.Value.Set(usual) })
	}
}
