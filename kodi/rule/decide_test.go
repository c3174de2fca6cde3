package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// step is one read of a scenario: its time (UTC), the files of the library, and the expected verdict.
type step struct {
	at      string
	files   []library.File
	want    []string
	empty   bool // no read: only the time of the last successful one is updated
	updates []announce.Update
}

// scenario is a sequence of reads of a library in New York.
type scenario struct {
	name           string
	zone           string // New York when empty
	with           Environment
	listeningSince time.Time
	first          []library.File // files of a first read at two o'clock; nil for none
	steps          []step
}

func (s scenario) run(t *testing.T) *Memory {
	t.Helper()
	z := s.with
	z.Zone, z.ListeningSince = location(t, cmp.Or(s.zone, "America/New_York")), s.listeningSince
	known := NewMemory("lib")
	labels := map[string]string{}
	if s.first != nil {
		s.steps = slices.Insert(slices.Clone(s.steps), 0, step{at: "2026-03-02 02:00:00", files: s.first})
	}
	for i, st := range s.steps {
		now := parseTime(t, st.at)
		if st.empty {
			known.Meta.VerifiedAt = now.UnixMilli()
			continue
		}
		z.Updates = st.updates
		v := Decide(known, snapshot(st.files...), now, z)
		got := describe(v, labels)
		if !slices.Equal(got, st.want) {
			t.Errorf("step %d at %s:\n%s", i+1, st.at, diff.Diff(st.want, got))
		}
		mustBeValid(t, v)
		known = reload(t, known, v)
	}
	return known
}

func runScenarios(t *testing.T, all []scenario) {
	t.Helper()
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) { s.run(t) })
	}
}

// reload stores the state and loads it again, as a restart does.
func reload(t *testing.T, known *Memory, v Verdict) *Memory {
	t.Helper()
	all := (Verdict{Meta: known.Meta, files: known.files}).State()
	maps.Copy(all, v.State())
	next, err := Parse(all, "")
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func mustBeValid(t *testing.T, v Verdict) {
	t.Helper()
	for _, w := range v.Viewings {
		if err := w.Validate(); err != nil {
			t.Errorf("invalid viewing: %v", err)
		}
		for m := &w.Origin.Note; m != nil; m = m.Cause {
			if !locale.In(locale.English).Has("told." + m.Code) {
				t.Errorf("a note without a text: %+v", w)
			}
		}
		if w.Class == "" {
			t.Errorf("viewing without a class: %+v", w)
		}
	}
}

// describe returns a verdict as short lines: class, label, time, "unsure"; "= label" for a
// further sighting; "drop" and "rename" for amendments.
func describe(v Verdict, labels map[string]string) []string {
	var out []string
	for _, w := range v.Viewings {
		var names []string
		for _, m := range w.Media {
			names = append(names, m.Label())
		}
		name := strings.Join(names, "+")
		labels[w.EventID] = name
		line := fmt.Sprintf("%s %s %s", w.Class, name, w.WatchedAt.Time().Format("2006-01-02T15:04:05Z"))
		if w.Unsure {
			line += " unsure"
		}
		if w.WatchedAt.Precision == viewing.Day {
			line += " day"
		}
		if w.SameAs != "" {
			line += " = " + labels[w.SameAs]
		}
		out = append(out, line)
	}
	for _, a := range v.Amendments {
		line := "drop " + labels[a.EventID]
		switch {
		case a.NotBefore != 0:
			continue // see TestUnmarkedViewingIsPostponed
		case a.Class != "":
			line = string(a.Class) + " " + labels[a.EventID] + " after all"
		case !a.Drop:
			line = "rename " + labels[a.EventID] + ": " + a.Reason.Error()
			if a.Media == nil {
				line += " (noted)"
			}
		}
		out = append(out, line)
	}
	return out
}

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func parseTime(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateTime, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func snapshot(files ...library.File) library.Snapshot {
	return library.Snapshot{Path: "/u/Database/MyVideos121.db", Version: 121, Files: files}
}

// film returns the file of film n, which runs two hours.
func film(n int64, count int, last string) library.File {
	m := viewing.Media{Type: viewing.Movie, Title: fmt.Sprint("F", n), IDs: viewing.IDs{TMDB: n}}
	return library.File{
		ID: n, Path: fmt.Sprintf("/films/%d.mkv", n), PlayCount: count, LastPlayed: last,
		Duration: 2 * time.Hour, InSource: true, Items: []library.Item{{KodiID: n, Media: m}},
	}
}

// episodes returns one file with episodes of show 9, season 1, which runs an hour.
func episodes(count int, last string, numbers ...int) library.File {
	f := library.File{
		ID: 100, Path: fmt.Sprintf("/tv/s01e%02d.mkv", numbers[0]), PlayCount: count, LastPlayed: last,
		Duration: time.Hour, InSource: true,
	}
	for _, n := range numbers {
		f.Items = append(f.Items, library.Item{KodiID: int64(n), Media: episode(n)})
	}
	return f
}

func episode(n int) viewing.Media {
	season := 1
	return viewing.Media{
		Type: viewing.Episode, Season: &season, Episode: &n,
		Show: &viewing.Show{Title: "S", IDs: viewing.IDs{TMDB: 9}},
	}
}

// modified returns a file with a change.
func modified(f library.File, change func(*library.File)) library.File {
	change(&f)
	return f
}

// withoutItem returns a file without its item.
func withoutItem(f library.File) library.File {
	return modified(f, func(f *library.File) { f.Items = nil })
}

// withItemID returns a file with another id of its item.
func withItemID(f library.File, id int64) library.File {
	f.Items = slices.Clone(f.Items)
	f.Items[0].KodiID = id
	return f
}

// films returns n films with the same count and time.
func films(n int, count int, last string) (all []library.File) {
	for i := range n {
		all = append(all, film(int64(1000+i), count, last))
	}
	return all
}

func list(files ...library.File) []library.File { return files }

func TestClassesOfOneFile(t *testing.T) {
	const old = "2025-01-01 20:00:00"
	runScenarios(t, []scenario{
		{name: "first contact is a baseline", steps: []step{
			{at: "2026-03-02 02:00:00", files: list(film(1, 3, "2026-03-01 20:59:59"), film(2, 0, ""))},
		}},
		{name: "a play seen live", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(film(1, 1, "2026-03-01 21:00:59"))},
		}},
		{name: "a partial play", first: list(film(1, 1, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59"))},
		}},
		{name: "a play with the service off is caught up", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-05 02:01:00", files: list(film(1, 1, "2026-03-03 21:00:00")), want: []string{"catch-up F1 2026-03-04T02:00:00Z"}},
		}},
		{name: "several plays at once are reviewed", first: list(film(1, 1, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 4, "2026-03-01 21:00:59")), want: []string{"review F1 2026-03-02T02:00:59Z"}},
		}},
		{name: "an older play from another device", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-02-27 10:07:00")), want: []string{"backdated F1 2026-02-27T15:07:00Z"}},
		}},
		{name: "an NFO brings back a watched state with its date", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 2, "2020-06-15 00:00:00")), want: []string{"backdated F1 2020-06-15T16:00:00Z day"}},
		}},
		{name: "a rise with a time before the latest", first: list(film(1, 1, "2026-02-01 20:00:00")), steps: []step{
			{at: "2026-03-05 02:00:00", files: list(film(1, 2, "2026-01-01 20:00:00")), want: []string{"review F1 2026-01-02T01:00:00Z"}},
		}},
		{name: "a rise without a time, and with an invalid one", first: list(film(1, 1, old), film(2, 0, "")), steps: []step{
			{at: "2026-03-02 03:00:00", files: list(film(1, 2, ""), film(2, 1, "soon")), want: []string{"review F1 2026-03-02T03:00:00Z unsure", "review F2 2026-03-02T03:00:00Z unsure"}},
		}},
	})
}

func TestCountsOfNewPaths(t *testing.T) {
	const old = "2025-01-01 20:00:00"
	runScenarios(t, []scenario{
		{name: "a new path with a count is a baseline", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 0, ""), film(2, 3, old), film(3, 1, ""), film(4, 1, "2026-03-05 00:00:00"))},
			{at: "2026-03-02 02:01:30", files: list(film(1, 0, ""), film(2, 4, "2026-03-01 21:01:29"), film(3, 1, ""), film(4, 1, "2026-03-05 00:00:00")), want: []string{"live F2 2026-03-02T02:01:29Z"}},
		}},
		{name: "a new path played from Files since the last read", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 06:00:00", files: list(film(1, 0, ""), withoutItem(film(2, 1, "2026-03-02 00:30:00"))), want: []string{"catch-up 2 2026-03-02T05:30:00Z"}},
			{at: "2026-03-02 06:01:00", files: list(film(1, 0, ""), withoutItem(film(2, 1, "2026-03-02 00:30:00")), withoutItem(film(3, 1, "2026-03-02 01:00:59"))), want: []string{"live 3 2026-03-02T06:00:59Z"}},
		}},
		{name: "an extra is ignored", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(modified(film(1, 1, "2026-03-01 21:00:59"), func(f *library.File) {
				f.Items = []library.Item{{KodiID: 1, Media: f.Items[0].Media, Extra: true}}
			}))},
		}},
		{name: "folders and files outside the sources are ignored", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 0, ""),
				withoutItem(modified(film(2, 1, "2026-03-01 21:00:59"), func(f *library.File) { f.Path = "/tv/Show Red/" })),
				withoutItem(modified(film(3, 1, "2026-03-01 21:00:59"), func(f *library.File) { f.InSource = false })))},
		}},
	})
}

// clip returns a copy of film 1 that runs a minute.
func clip(name string, count int, last string) library.File {
	return modified(film(1, count, last), func(f *library.File) { f.Path, f.Duration = "/films/"+name+".mkv", time.Minute })
}

func TestOneSittingIsOneViewing(t *testing.T) {
	runScenarios(t, []scenario{
		{name: "stopped at 93 %, and again for the credits", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:07", files: list(film(1, 2, "2026-03-01 21:01:06")), want: []string{"live F1 2026-03-02T02:01:06Z = F1"}},
			{at: "2026-03-02 02:40:00", empty: true},
			{at: "2026-03-02 02:40:30", files: list(film(1, 3, "2026-03-01 21:40:20")), want: []string{"live F1 2026-03-02T02:40:20Z = F1"}},
		}},
		{name: "half the running time later is another viewing", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 03:00:59", empty: true},
			{at: "2026-03-02 03:01:00", files: list(film(1, 2, "2026-03-01 22:00:59")), want: []string{"live F1 2026-03-02T03:00:59Z"}},
		}},
		{name: "over all files of an item", steps: []step{
			{at: "2026-03-02 02:00:00", files: list(film(1, 0, ""), modified(film(1, 0, ""), func(f *library.File) { f.Path = "/films/1 cut.mkv" }))},
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59"), modified(film(1, 0, ""), func(f *library.File) { f.Path = "/films/1 cut.mkv" })), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(film(1, 1, "2026-03-01 21:00:59"), modified(film(1, 1, "2026-03-01 21:01:59"), func(f *library.File) { f.Path = "/films/1 cut.mkv" })), want: []string{"live F1 2026-03-02T02:01:59Z = F1"}},
		}},
		{name: "both copies marked in one second", steps: []step{
			{at: "2026-03-02 02:00:00", files: list(film(1, 0, ""), modified(film(1, 0, ""), func(f *library.File) { f.Path = "/films/1 cut.mkv" }))},
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59"), modified(film(1, 1, "2026-03-01 21:00:59"), func(f *library.File) { f.Path = "/films/1 cut.mkv" })), want: []string{"live F1 2026-03-02T02:00:59Z", "live F1 2026-03-02T02:00:59Z = F1"}},
		}},
		{name: "one copy of a short film played, the other marked", first: list(clip("a", 0, ""), clip("b", 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(clip("a", 1, "2026-03-01 21:00:59"), clip("b", 0, "")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(clip("a", 1, "2026-03-01 21:00:59"), clip("b", 1, "2026-03-01 21:01:59")), want: []string{"live F1 2026-03-02T02:01:59Z = F1"}},
		}},
		{name: "both copies of a short film are played one after the other", first: list(clip("a", 0, ""), clip("b", 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(clip("a", 1, "2026-03-01 21:00:59"), clip("b", 0, "")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:10", files: list(clip("a", 1, "2026-03-01 21:00:59"), clip("b", 1, "2026-03-01 21:02:05")), want: []string{"live F1 2026-03-02T02:02:05Z"}},
			{at: "2026-03-02 02:02:40", files: list(clip("a", 2, "2026-03-01 21:02:39"), clip("b", 1, "2026-03-01 21:02:05")), want: []string{"live F1 2026-03-02T02:02:39Z = F1"}},
		}},
		{name: "unknown running time of an episode", first: list(modified(episodes(0, "", 1), func(f *library.File) { f.Duration = 0 })), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(modified(episodes(1, "2026-03-01 21:00:59", 1), func(f *library.File) { f.Duration = 0 })), want: []string{"live S S01E01 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:10:30", empty: true},
			{at: "2026-03-02 02:11:00", files: list(modified(episodes(2, "2026-03-01 21:10:58", 1), func(f *library.File) { f.Duration = 0 })), want: []string{"live S S01E01 2026-03-02T02:10:58Z = S S01E01"}},
			{at: "2026-03-02 02:21:30", empty: true},
			{at: "2026-03-02 02:21:31", files: list(modified(episodes(3, "2026-03-01 21:21:00", 1), func(f *library.File) { f.Duration = 0 })), want: []string{"live S S01E01 2026-03-02T02:21:00Z"}},
		}},
		{name: "mark, unmark, mark within seconds", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:02", files: list(film(1, 0, ""))},
			{at: "2026-03-02 02:01:04", files: list(film(1, 1, "2026-03-01 21:01:03")), want: []string{"live F1 2026-03-02T02:01:03Z = F1"}},
			{at: "2026-03-02 09:01:04", files: list(film(1, 1, "2026-03-01 21:01:03"))},
		}},
		{name: "a mark of the baseline, unmarked and marked again", first: list(film(1, 1, "2025-01-01 10:00:00")), steps: []step{
			{at: "2026-03-02 02:01:02", files: list(film(1, 0, ""))},
			{at: "2026-03-02 02:01:04", files: list(film(1, 1, "2026-03-01 21:01:03")), want: []string{"review F1 2026-03-02T02:01:03Z unsure"}},
		}},
		{name: "a mark, then unmarked", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:02", files: list(film(1, 0, "2026-03-01 21:00:59"))},
			{at: "2026-03-02 03:01:03", files: list(film(1, 0, "2026-03-01 21:00:59")), want: []string{"drop F1"}},
			{at: "2026-03-02 04:01:03", files: list(film(1, 0, "2026-03-01 21:00:59"))},
			{at: "2026-03-02 06:01:03", files: list(film(1, 1, "2026-03-02 01:00:00")), want: []string{"catch-up F1 2026-03-02T06:00:00Z"}},
		}},
		{name: "unmarked, and played long after with the service off", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:02", files: list(film(1, 0, ""))},
			{at: "2026-03-03 03:00:00", files: list(film(1, 1, "2026-03-02 20:00:00")), want: []string{"catch-up F1 2026-03-03T01:00:00Z", "drop F1"}},
		}},
		{name: "one of two unmarked", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 12:01:00", files: list(film(1, 2, "2026-03-02 06:00:59")), want: []string{"catch-up F1 2026-03-02T11:00:59Z"}},
			{at: "2026-03-02 12:02:00", files: list(film(1, 1, "2026-03-02 06:00:59"))},
			{at: "2026-03-02 14:02:00", files: list(film(1, 1, "2026-03-02 06:00:59")), want: []string{"drop F1"}},
		}},
		{name: "a rebuilt library withdraws nothing", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:02", files: list(withItemID(film(1, 0, ""), 7))},
			{at: "2026-03-02 09:01:02", files: list(withItemID(film(1, 0, ""), 7))},
		}},
	})
}
