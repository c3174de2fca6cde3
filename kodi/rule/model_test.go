package rule

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/queue/viewing"
)

// household is a Kodi, its people, and an importer beside it. It knows what
// was really watched, and holds the importer's verdicts against that.
type household struct {
	known  *Memory
	files  []snapshot.File
	on     bool // the importer runs
	now    time.Time
	zone   *time.Location // of Kodi's clock, which travels
	away   bool           // it has been in another zone
	zones  map[string]*time.Location
	acts   []*act                       // true viewings
	unread map[string]*act              // by path: the last viewing since the last reading
	undone map[string]bool              // by path: counts were lowered since the last reading
	partly map[string]*act              // by path: a partial play since the last reading
	edited map[string]bool              // by path: counts were raised without a playback since the last reading
	taken  map[string]bool              // by path: a person has taken a count back
	fresh  map[string]bool              // by path: scanned in since the last reading
	broken map[string]bool              // by path and time: ends of partial plays that only a reading of then can tell
	events map[string]seenBefore        // by event id
	times  map[string][]viewing.Instant // of what the queue was told, by item

	stale   map[string]bool   // by path: rows of files that are no longer on the disk
	version int               // of the library
	backup  []snapshot.File   // of the library; nil before one was made
	made    int64             // number of the last row that was made
	saved   map[string][]byte // what is left of the importer when it is killed
	savedAt time.Time
}

// act is something that a person did to see or mark a file as watched.
type act struct {
	path    string
	ends    []time.Time // of one sitting
	sent    bool        // handed over for sending
	comment string
	zone    *time.Location // of Kodi's clock then
	text    string         // Kodi's time, when several were marked with it
}

type seenBefore struct{ path string }

// tell hands a viewing to the queue, which remembers it for good.
func (h *household) tell(w viewing.Event) {
	h.events[w.EventID] = seenBefore{w.Origin.Path}
	for _, m := range w.Media {
		h.times[m.Key()] = append(h.times[m.Key()], w.WatchedAt)
	}
}

func newHousehold(t *rapid.T) *household {
	h := &household{
		known: NewMemory("lib"), on: true,
		unread: map[string]*act{}, undone: map[string]bool{}, edited: map[string]bool{}, partly: map[string]*act{}, taken: map[string]bool{}, fresh: map[string]bool{}, broken: map[string]bool{}, events: map[string]seenBefore{}, times: map[string][]viewing.Instant{},
		zones: map[string]*time.Location{}, stale: map[string]bool{}, version: 121, made: 10000, saved: map[string][]byte{},
	}
	for _, name := range []string{"America/New_York", "America/Los_Angeles", "Europe/Lisbon", "Asia/Kolkata"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		h.zones[name] = zone
	}
	h.zone = h.zones["America/New_York"]
	start := rapid.SampledFrom([]string{"2026-06-10 15:00:00", "2026-10-31 22:00:00", "2026-03-08 01:00:00"}).Draw(t, "start")
	h.now, _ = time.Parse(time.DateTime, start)
	h.files = []snapshot.File{
		film(1, 0, ""), film(2, 1, "2025-01-01 20:00:00"), film(3, 0, ""),
		episodes(0, "", 1), episodes(2, "2025-01-01 21:00:00", 2), episodes(0, "", 3, 4),
		but(film(1, 0, ""), func(f *snapshot.File) { f.Path = "/films/1, a copy.mkv" }),
	}
	h.read(t)
	return h
}

// pass lets time go by. A running importer confirms its reading now and then.
func (h *household) pass(d time.Duration) {
	h.now = h.now.Add(d)
	if h.on && d > time.Minute {
		h.known.Meta.GoodAt = h.now.Add(-30 * time.Second).UnixMilli()
		if h.now.Sub(h.savedAt) >= time.Hour {
			h.save()
		}
	}
}

func (h *household) text() string { return h.now.In(h.zone).Format(time.DateTime) }

// pick takes one of the files that can be played.
func (h *household) pick(t *rapid.T) *snapshot.File {
	return h.pickOf(t, func(f snapshot.File) bool { return !h.stale[f.Path] })
}

// pickItem takes one of those that the library has an item for.
func (h *household) pickItem(t *rapid.T) *snapshot.File {
	return h.pickOf(t, func(f snapshot.File) bool { return !h.stale[f.Path] && len(f.Items) > 0 })
}

func (h *household) pickOf(t *rapid.T, good func(snapshot.File) bool) *snapshot.File {
	var all []int
	for i, f := range h.files {
		if good(f) {
			all = append(all, i)
		}
	}
	return &h.files[rapid.SampledFrom(all).Draw(t, "file")]
}

// count counts a file up at this moment.
func (h *household) count(f *snapshot.File) {
	f.PlayCount++
	f.LastPlayed = h.text()
}

func (h *household) did(f *snapshot.File, comment string) {
	a := &act{path: f.Path, ends: []time.Time{h.now.Truncate(time.Second)}, comment: comment, zone: h.zone}
	h.acts = append(h.acts, a)
	h.unread[f.Path] = a
}

// soon reads the library a moment after an act, if the importer runs.
func (h *household) soon(t *rapid.T) {
	if h.on {
		h.now = h.now.Add(time.Second)
		h.read(t)
	}
	h.now = h.now.Add(5 * time.Second) // nobody does two things within two seconds
}

func (h *household) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"wait": func(t *rapid.T) { h.pass(time.Duration(rapid.IntRange(1, 3000).Draw(t, "minutes")) * time.Minute) },
		"play": func(t *rapid.T) { h.play(t, h.pick(t)) },
		"partial play": func(t *rapid.T) {
			f := h.pick(t)
			h.pass(10 * time.Minute)
			f.LastPlayed = h.text()
			if !h.fresh[f.Path] && !h.edited[f.Path] && !h.undone[f.Path] && h.unread[f.Path] == nil {
				h.broken[f.Path+f.LastPlayed] = true
			}
			_, counted := h.unread[f.Path]
			delete(h.unread, f.Path) // its time is gone
			h.partly[f.Path] = &act{path: f.Path, ends: []time.Time{h.now.Truncate(time.Second)}, zone: h.zone}
			if counted || h.edited[f.Path] {
				h.edited[f.Path] = true
				h.muddle(f)
			}
			h.soon(t)
		},
		"mark":      func(t *rapid.T) { h.mark(t, h.pick(t)) },
		"mark show": h.markShow,
		"unmark": func(t *rapid.T) {
			f := h.pick(t)
			f.PlayCount, f.LastPlayed = 0, ""
			delete(h.unread, f.Path)
			h.undone[f.Path], h.taken[f.Path] = true, true
			h.soon(t)
		},
		"refresh":        h.refresh,
		"scan":           h.scan,
		"NFO comes back": func(t *rapid.T) { h.edit(t, 2, "2020-06-15 00:00:00") },
		"sync of an older play": func(t *rapid.T) {
			h.edit(t, 1, time.UnixMilli(h.known.Meta.GoodAt).UTC().Add(-72*time.Hour).Format(time.DateTime))
		},
		"count set by a remote": func(t *rapid.T) { h.edit(t, 3, "") },
		"travel": func(t *rapid.T) {
			h.zone = h.zones[rapid.SampledFrom([]string{"America/New_York", "America/Los_Angeles", "Europe/Lisbon", "Asia/Kolkata"}).Draw(t, "zone")]
			h.away = h.away || h.zone != h.zones["America/New_York"]
		},
		"import":               h.bringPast,
		"rename":               h.rename,
		"clean":                h.clean,
		"rematch":              h.rematch,
		"play before its scan": h.playUnknown,
		"scan what was played": h.scanPlayed,
		"upgrade":              func(*rapid.T) { h.version += 10 },
		"clocks change":        h.clocksChange,
		"another Kodi":         h.another,
		"back up":              func(*rapid.T) { h.backup = slices.Clone(h.files) },
		"restore":              h.restore,
		"kill":                 h.kill,
		"stop": func(*rapid.T) {
			if h.on {
				h.save()
			}
			h.on = false
		},
		"start": func(t *rapid.T) {
			h.on = true
			h.read(t)
		},
		"restart": func(t *rapid.T) {
			if h.on {
				h.read(t)
			}
		},
	}
}

// muddle admits that between two readings nobody can tell a count that a
// program set, and the time of a partial play, from a playback.
func (h *household) muddle(f *snapshot.File) {
	if a := h.partly[f.Path]; a != nil {
		h.acts = append(h.acts, a)
	}
}

// play plays a file to its end, sometimes with the credits in a second go.
func (h *household) play(t *rapid.T, f *snapshot.File) {
	h.pass(f.Duration)
	h.count(f)
	h.did(f, "play")
	h.soon(t)
	if rapid.IntRange(0, 3).Draw(t, "credits") == 0 {
		h.now = h.now.Add(time.Minute)
		h.count(f)
		last := h.acts[len(h.acts)-1]
		last.ends = append(last.ends, h.now.Truncate(time.Second))
		h.unread[f.Path] = last
		h.soon(t)
	}
}

func (h *household) mark(t *rapid.T, f *snapshot.File) {
	if f.PlayCount > 0 {
		return
	}
	h.count(f)
	h.did(f, "mark")
	h.soon(t)
}

// markShow marks what is unwatched of the show: several files are held.
func (h *household) markShow(t *rapid.T) {
	var marked []*snapshot.File
	for i := range h.files {
		if f := &h.files[i]; len(f.Items) > 0 && f.Items[0].Media.Type == viewing.Episode && f.PlayCount == 0 {
			h.count(f)
			f.PlayCount = len(f.Items) // once for each episode
			marked = append(marked, f)
		}
	}
	for _, f := range marked {
		h.did(f, "mark of a show")
		if len(marked) > 1 {
			h.acts[len(h.acts)-1].text = f.LastPlayed
		}
	}
	h.soon(t)
}

// refresh gives an item a new row, with what an NFO claims, or nothing.
func (h *household) refresh(t *rapid.T) {
	h.insert(t, h.pickItem(t))
}

// insert gives an item a new row.
func (h *household) insert(t *rapid.T, f *snapshot.File) {
	h.made++
	*f = rebuilt(*f, h.made)
	if h.unread[f.Path] != nil {
		h.edited[f.Path] = true // counted, its time gone
	}
	delete(h.unread, f.Path)
	h.undone[f.Path] = true
	switch nfo := rapid.IntRange(0, 3).Draw(t, "NFO"); {
	case nfo == 0 && f.PlayCount > 0:
		f.LastPlayed = h.now.In(h.zone).Format(time.DateOnly) + " 00:00:00"
	case nfo <= 1:
		f.PlayCount, f.LastPlayed = 0, ""
	default:
		f.PlayCount, f.LastPlayed = nfo-1, h.text() // a count without a date
	}
	h.soon(t)
}

// scan puts a film into the library, with or without an NFO that has a count
// and no date.
func (h *household) scan(t *rapid.T) {
	h.made++
	f := film(h.made, 0, "")
	if n := rapid.IntRange(0, 2).Draw(t, "count of the NFO"); n > 0 {
		f.PlayCount, f.LastPlayed = n, h.text()
	}
	h.files = append(h.files, f)
	h.fresh[f.Path] = true
	h.soon(t)
}

// bringPast imports: nothing that was ever handed over, and nothing at the
// time of a playback that did not reach its end.
func (h *household) bringPast(t *rapid.T) {
	h.read(t)
	if h.known.Meta.Guard.On {
		return
	}
	o := PlanOptions{Earlier: rapid.Bool().Draw(t, "earlier plays too")}
	for turn := range 2 {
		past := Remember(h.known, h.snapshot(), h.now, Around{Machine: h.zones["America/New_York"]})
		heard := Heard{Taken: map[string]bool{}, Times: h.times}
		ids, _ := past.Questions()
		for _, id := range ids {
			_, heard.Taken[id] = h.events[id]
		}
		p := past.Plan(heard, o)
		if turn == 1 && len(p.plays) > 0 {
			t.Fatalf("imported again: %+v", p.Viewings())
		}
		v := p.Verdict(h.known, 0, len(p.plays), h.now)
		for _, w := range v.Viewings {
			if err := w.Validate(); err != nil {
				t.Fatalf("invalid: %v", err)
			}
			if _, twice := h.events[w.EventID]; twice {
				t.Fatalf("event id %s twice", w.EventID)
			}
			if w.Class == viewing.ClassImport && (h.known.files[w.Origin.Path].Serial > 0 || h.broken[w.Origin.Path+w.WatchedAt.Text]) {
				t.Fatalf("false or doubled: %s at %s (%s)", w.Origin.Path, w.WatchedAt.Text, w.Origin.Note)
			}
			h.tell(w)
		}
		h.commit(t, v)
	}
}

// hidden admits what package kodi says it misses: the time of a file that is
// new may lie before the last reading, by a clock that has travelled, or be
// midnight, and that is a baseline; and a count that was frozen may come back
// with an earlier time by such a clock.
func (h *household) hidden(a *act) bool {
	text := a.ends[len(a.ends)-1].In(a.zone).Format(time.TimeOnly)
	return h.fresh[a.path] && (h.away || text == "00:00:00") || h.known.files[a.path].Frozen && h.away
}

// edit changes a count as programs do; an empty time leaves the old one.
func (h *household) edit(t *rapid.T, by int, last string) {
	f := h.pick(t)
	f.PlayCount += by
	h.edited[f.Path] = true
	if last != "" {
		f.LastPlayed = last
	} else {
		h.muddle(f)
	}
	delete(h.unread, f.Path)
	h.soon(t)
}

// read lets the importer look, and holds its verdict against the truth.
func (h *household) read(t *rapid.T) {
	v := Decide(h.known, h.snapshot(), h.now, Around{Machine: h.zones["America/New_York"]})
	told := map[string]bool{}
	for _, w := range v.Viewings {
		if err := w.Validate(); err != nil {
			t.Fatalf("invalid: %v", err)
		}
		if _, twice := h.events[w.EventID]; twice {
			t.Fatalf("event id %s twice", w.EventID)
		}
		if _, ok := h.events[w.SameAs]; w.SameAs != "" && !ok {
			t.Fatalf("%s is said to be the same as %q, which is unknown", w.EventID, w.SameAs)
		}
		h.tell(w)
		told[w.Origin.Path] = true
		if w.SameAs == "" && (w.Class == viewing.ClassLive || w.Class == viewing.ClassCatchUp) {
			h.mustBeTrue(t, w)
		}
	}
	for path, a := range h.unread {
		if !told[path] && !h.undone[path] && !h.hidden(a) {
			t.Fatalf("missed: %s of %s at %v", a.comment, path, a.ends)
		}
	}
	for _, a := range v.Amendments {
		if path := h.events[a.EventID].path; a.Drop && !h.taken[path] {
			t.Fatalf("withdrew a viewing of %s that nobody took back", path)
		}
	}
	clear(h.unread)
	clear(h.undone)
	clear(h.fresh)
	clear(h.edited)
	clear(h.partly)
	h.commit(t, v)
}

// mustBeTrue finds the act behind a viewing that will be sent.
func (h *household) mustBeTrue(t *rapid.T, w viewing.Event) {
	for _, a := range h.acts {
		if a.path != w.Origin.Path || a.sent {
			continue
		}
		for _, end := range a.ends {
			if h.fits(w, a, end) {
				a.sent = true
				if a.text != "" && h.showing(a.text) > 1 {
					t.Fatalf("one of several that were marked at once will be sent: %s", a.path)
				}
				return
			}
		}
	}
	t.Fatalf("false or doubled: %s %s at %s (%s)", w.Class, w.Origin.Path, w.WatchedAt.Time(), w.Origin.Note)
}

// showing is how many items have this time, in whatever files.
func (h *household) showing(text string) int {
	items := map[string]bool{}
	for _, f := range h.files {
		if f.LastPlayed == text {
			items[identity(mediaOf(f), f.Path)] = true
		}
	}
	return len(items)
}

// fits compares times: exactly, but for what is caught up with a clock that
// travelled unseen or in an hour that clocks repeat.
func (h *household) fits(w viewing.Event, a *act, end time.Time) bool {
	off := w.WatchedAt.Time().Sub(end)
	if off == 0 {
		return true
	}
	_, before := end.Add(-24 * time.Hour).In(h.zones["America/New_York"]).Zone()
	_, after := end.Add(24 * time.Hour).In(h.zones["America/New_York"]).Zone()
	mayDiffer := a.zone != h.zones["America/New_York"] || before != after ||
		w.WatchedAt.Offset != nil && *w.WatchedAt.Offset != offsetIn(h.zones["America/New_York"], end)
	return w.Class == viewing.ClassCatchUp && mayDiffer && off%quarter == 0 && off.Abs() <= 14*time.Hour
}

func TestHousehold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := newHousehold(t)
		t.Repeat(h.actions())
	})
}

// The model must be able to fail: at home, no other hour fits.
func TestHouseholdIsStrictAboutTimes(t *testing.T) {
	zone := location(t, "America/New_York")
	h := &household{zones: map[string]*time.Location{"America/New_York": zone}}
	off := offsetIn(zone, moment(t, "2026-03-01 20:00:00"))
	w := viewing.Event{Class: viewing.ClassCatchUp, WatchedAt: viewing.Instant{Offset: &off}}
	for _, hours := range []int{1, 5, 24} {
		w.WatchedAt.Millis = moment(t, "2026-03-01 20:00:00").Add(time.Duration(hours) * time.Hour).UnixMilli()
		if h.fits(w, &act{zone: zone}, moment(t, "2026-03-01 20:00:00")) {
			t.Errorf("%d hours off was taken for true", hours)
		}
	}
}
