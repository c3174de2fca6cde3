package rule

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// model is a library with random changes by users, add-ons and Kodi, and two memories: one stays in
// memory and gets full snapshots; the other is reloaded after each read, and gets only the details that
// NeedsDetails selects.
type model struct {
	*rapid.T
	test      *testing.T
	now       time.Time
	files     []library.File
	inMemory  *Memory
	restarted *Memory
	counts    map[string]int           // at the last read, by path
	sent      map[string]viewing.Event // viewings that were not withdrawn or held since, by event id
}

func (m *model) file() *library.File {
	return &m.files[rapid.IntRange(0, len(m.files)-1).Draw(m.T, "file")]
}

func (m *model) wait(most int) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(0, most).Draw(m.T, "minutes"))*time.Minute + 3*time.Second)
}

// count sets the play count of a file, with the current time.
func (m *model) count(f *library.File, count int) {
	f.PlayCount, f.LastPlayed = count, m.now.Format(time.DateTime)
}

// outline returns a snapshot with only the details that NeedsDetails selects.
func (m *model) outline(full library.Snapshot) library.Snapshot {
	outline := full
	outline.Files = slices.Clone(full.Files)
	for i, f := range outline.Files {
		f.Duration, f.Items = 0, slices.Clone(f.Items)
		for j, item := range f.Items {
			f.Items[j] = library.Item{KodiID: item.KodiID, IDRow: item.IDRow, Extra: item.Extra, Media: viewing.Media{Type: item.Media.Type}}
		}
		outline.Files[i] = f
	}
	for i, f := range outline.Files {
		if m.restarted.NeedsDetails(f, m.now) {
			outline.Files[i] = full.Files[i]
		}
	}
	return outline
}

// read reads the library and checks the verdict.
func (m *model) read() {
	m.now = m.now.Add(time.Second)
	full, env := snapshot(slices.Clone(m.files)...), Environment{Zone: time.UTC}
	if rapid.Bool().Draw(m.T, "listening") {
		env.ListeningSince = m.now.Add(-time.Hour)
	}
	for range rapid.IntRange(0, 2).Draw(m.T, "announcements") { // any program of this machine can say so
		env.Updates = append(env.Updates, announce.Update{Type: viewing.Movie, ID: rapid.Int64Range(999, 1012).Draw(m.T, "id"), Count: rapid.IntRange(-1, 3).Draw(m.T, "count"), At: m.now})
		if rapid.Bool().Draw(m.T, "begun") {
			env.Updates[len(env.Updates)-1].Began = m.now.Add(-time.Duration(rapid.IntRange(0, 200).Draw(m.T, "ago")) * time.Minute)
		}
		if rapid.Bool().Draw(m.T, "played") {
			env.Updates[len(env.Updates)-1].Ended = m.now
		}
	}
	v := Decide(m.inMemory, full, m.now, env)
	again := Decide(m.restarted, m.outline(full), m.now, env)
	if !reflect.DeepEqual(v, again) {
		m.Fatalf("a restart or a partial snapshot changes the verdict:\n%+v\n%+v", v, again)
	}
	for _, w := range v.Viewings {
		if w.SameAs != "" || !slices.Contains([]viewing.Class{viewing.ClassLive, viewing.ClassCatchUp, viewing.ClassMarked}, w.Class) {
			continue
		}
		f := m.files[slices.IndexFunc(m.files, func(f library.File) bool { return f.Path == w.Origin.Path })]
		// With an announced end of a playback the file may have been unmarked and played between two reads.
		announced := slices.ContainsFunc(env.Updates, func(a announce.Update) bool {
			return !a.Ended.IsZero() && a.Count == f.PlayCount && slices.ContainsFunc(f.Items, func(i library.Item) bool { return i.KodiID == a.ID })
		})
		if f.PlayCount <= m.counts[f.Path] && !announced {
			m.Fatalf("a viewing without a risen count: %s, count %d: %s", f.Path, f.PlayCount, w.Origin.Note)
		}
		for _, before := range m.sent {
			d := w.WatchedAt.Time().Sub(before.WatchedAt.Time()).Abs()
			if before.Media[0].Key() == w.Media[0].Key() && d < f.Duration/2 {
				m.Fatalf("two viewings of %s, %s apart: %s", w.Media[0].Key(), d, w.Origin.Note)
			}
		}
		m.sent[w.EventID] = w
	}
	for _, a := range v.Amendments {
		if a.Drop || a.Class != "" {
			delete(m.sent, a.EventID)
		}
	}
	m.inMemory.Apply(v)
	m.restarted = reload(m.test, m.restarted, again)
	for _, f := range m.files {
		m.counts[f.Path] = f.PlayCount
	}
}

// TestModelInvariants: however the counts change, no item gets two viewings within half its running time,
// each viewing has a risen count or an announced playback, and a restart changes nothing.
func TestModelInvariants(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := &model{T: r, test: t, now: parseTime(t, "2026-06-10 15:00:00"), inMemory: NewMemory("lib"), restarted: NewMemory("lib"), counts: map[string]int{}, sent: map[string]viewing.Event{}}
		m.files = append(films(12, 1, "2025-01-01 20:00:00"), film(1, 0, ""), episodes(0, "", 1), episodes(0, "", 3, 4))
		m.read()
		row := int64(5000)
		m.Repeat(map[string]func(*rapid.T){
			"":       func(r *rapid.T) { m.T = r; m.read() },
			"wait":   func(*rapid.T) { m.wait(3000) },
			"play":   func(*rapid.T) { f := m.file(); m.wait(150); m.count(f, f.PlayCount+1) },
			"part":   func(*rapid.T) { m.wait(90); m.file().LastPlayed = m.now.Format(time.DateTime) },
			"mark":   func(*rapid.T) { m.count(m.file(), 1) },
			"unmark": func(*rapid.T) { f := m.file(); f.PlayCount, f.LastPlayed = 0, "" },
			"remote": func(*rapid.T) { m.file().PlayCount += 3 },
			"sync":   func(*rapid.T) { f := m.file(); f.PlayCount, f.LastPlayed = f.PlayCount+1, "2024-03-01 20:00:00" },
			"insert": func(*rapid.T) { f := m.file(); row++; *f = withItemID(*f, row); m.count(f, f.PlayCount+1) },
			"wipe": func(*rapid.T) {
				m.files = append(films(12, 0, ""), film(1, 0, ""), episodes(0, "", 1), episodes(0, "", 3, 4))
			},
		})
	})
}
