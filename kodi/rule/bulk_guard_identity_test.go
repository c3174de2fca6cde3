package rule

import (
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestBulkMarksAreHeld(t *testing.T) {
	const old = "2025-01-01 20:00:00"
	runScenarios(t, []scenario{
		{name: "a show marked in one second", first: list(episodes(0, "", 1), episodes(1, old, 2), episodes(0, "", 3)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:59", 1), episodes(1, old, 2), episodes(1, "2026-03-01 21:00:59", 3)), want: []string{"bulk S S01E01 2026-03-02T02:00:59Z", "bulk S S01E03 2026-03-02T02:00:59Z"}},
		}},
		{name: "a chain of marks in two reads", first: list(film(1, 0, ""), film(2, 0, ""), film(3, 0, ""), film(4, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:55"), film(2, 1, "2026-03-01 21:00:57"), film(3, 0, ""), film(4, 0, "")), want: []string{"bulk F1 2026-03-02T02:00:55Z", "bulk F2 2026-03-02T02:00:57Z"}},
			{at: "2026-03-02 02:01:01", files: list(film(1, 1, "2026-03-01 21:00:55"), film(2, 1, "2026-03-01 21:00:57"), film(3, 1, "2026-03-01 21:00:59"), film(4, 0, "")), want: []string{"bulk F3 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:05", files: list(film(1, 1, "2026-03-01 21:00:55"), film(2, 1, "2026-03-01 21:00:57"), film(3, 1, "2026-03-01 21:00:59"), film(4, 1, "2026-03-01 21:01:02")), want: []string{"live F4 2026-03-02T02:01:02Z"}},
		}},
		{name: "a chain of marks, the first one read alone", first: list(film(1, 0, ""), film(2, 0, ""), film(3, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59"), film(2, 0, ""), film(3, 0, "")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:02", files: list(film(1, 1, "2026-03-01 21:00:59"), film(2, 1, "2026-03-01 21:01:01"), film(3, 0, "")), want: []string{"bulk F2 2026-03-02T02:01:01Z", "bulk F1 after all"}},
			{at: "2026-03-02 02:01:03", files: list(film(1, 1, "2026-03-01 21:00:59"), film(2, 1, "2026-03-01 21:01:01"), film(3, 1, "2026-03-01 21:01:02")), want: []string{"bulk F3 2026-03-02T02:01:02Z"}},
		}},
		{name: "skipped near the end, and the next one stopped at once", first: list(episodes(0, "", 1), episodes(0, "", 2)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:56", 1), episodes(0, "2026-03-01 21:00:58", 2)), want: []string{"live S S01E01 2026-03-02T02:00:56Z"}},
		}},
		{name: "a show marked, one episode lowered between the reads", first: list(episodes(0, "", 1), episodes(2, old, 2)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:59", 1), episodes(1, "2026-03-01 21:00:59", 2)), want: []string{"bulk S S01E01 2026-03-02T02:00:59Z", "review S S01E02 2026-03-02T02:00:59Z"}},
		}},
		{name: "a show marked, one episode refreshed between the reads", first: list(episodes(0, "", 1), episodes(1, old, 2)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:58", 1), withItemID(episodes(1, "2026-03-01 21:00:59", 2), 90)), want: []string{"bulk S S01E01 2026-03-02T02:00:58Z"}},
		}},
		{name: "a show marked, one episode unmarked between the reads", first: list(episodes(0, "", 1), episodes(1, old, 2)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:59", 1), episodes(1, "2026-03-01 21:00:59", 2)), want: []string{"bulk S S01E01 2026-03-02T02:00:59Z"}},
		}},
		{name: "skipped near the end, and a watched one stopped at once", first: list(episodes(0, "", 1), episodes(1, old, 2)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:56", 1), episodes(1, "2026-03-01 21:00:58", 2)), want: []string{"live S S01E01 2026-03-02T02:00:56Z"}},
		}},
		{name: "an add-on that sets the times of others too", steps: []step{
			{at: "2026-03-02 02:00:00", files: list(film(1, 0, ""), film(2, 1, "2025-01-01 20:00:00"), film(3, 1, "2025-01-01 20:00:00"))},
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59"), film(2, 1, "2026-03-01 21:00:59"), film(3, 1, "2026-03-01 21:00:59")), want: []string{"bulk F1 2026-03-02T02:00:59Z"}},
		}},
		{name: "a season marked by a program that gives no times", steps: []step{
			{at: "2026-03-02 02:00:00", files: list(episodes(0, "", 1), episodes(0, "", 2), episodes(0, "", 3), film(1, 0, ""))},
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "", 1), episodes(1, "", 2), episodes(1, "", 3), film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z", "bulk S S01E01 2026-03-02T02:01:00Z unsure", "bulk S S01E02 2026-03-02T02:01:00Z unsure", "bulk S S01E03 2026-03-02T02:01:00Z unsure"}},
		}},
		{name: "two ends three seconds apart are not a bulk mark", first: list(film(1, 0, ""), film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:55"), film(2, 1, "2026-03-01 21:00:58")), want: []string{"live F1 2026-03-02T02:00:55Z", "live F2 2026-03-02T02:00:58Z"}},
		}},
		{name: "marked while the service was off", first: list(film(1, 0, ""), film(2, 0, ""), film(3, 0, "")), steps: []step{
			{at: "2026-03-04 02:00:00", files: list(film(1, 1, "2026-03-02 21:00:55"), film(2, 1, "2026-03-02 21:00:55"), film(3, 1, "2026-03-03 19:00:00")), want: []string{"bulk F1 2026-03-03T02:00:55Z", "bulk F2 2026-03-03T02:00:55Z", "catch-up F3 2026-03-04T00:00:00Z"}},
		}},
		{name: "a play right after a bulk mark is live", first: list(film(1, 0, ""), film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:55"), film(2, 1, "2026-03-01 21:00:55")), want: []string{"bulk F1 2026-03-02T02:00:55Z", "bulk F2 2026-03-02T02:00:55Z"}},
			{at: "2026-03-02 02:02:30", files: list(film(1, 2, "2026-03-01 21:02:20"), film(2, 1, "2026-03-01 21:00:55")), want: []string{"live F1 2026-03-02T02:02:20Z"}},
		}},
	})
}

// TestUnmarkedViewingIsPostponed: a viewing whose count fell is postponed until it is withdrawn or confirmed.
func TestUnmarkedViewingIsPostponed(t *testing.T) {
	const marked = "2026-03-01 21:00:59"
	z := Environment{Zone: location(t, "America/New_York")}
	known := scenario{steps: []step{
		{at: "2026-03-02 02:00:00", files: oneFilm(0, "")},
		{at: "2026-03-02 02:01:00", files: oneFilm(1, marked), want: []string{"live F1 2026-03-02T02:00:59Z"}},
	}}.run(t)
	amended := func(at string, files []library.File) []viewing.Amendment {
		t.Helper()
		v := Decide(known, snapshot(files...), parseTime(t, at), z)
		known = reload(t, known, v)
		return v.Amendments
	}
	if a := amended("2026-03-02 02:01:05", oneFilm(0, "")); len(a) != 1 || a[0].Drop ||
		!time.UnixMilli(a[0].NotBefore).After(parseTime(t, "2026-03-02 03:01:05")) {
		t.Errorf("taken back: %+v", a)
	}
	if a := amended("2026-03-02 02:30:00", oneFilm(0, "")); len(a) != 0 {
		t.Errorf("later: %+v", a)
	}
	if a := amended("2026-03-02 02:30:05", oneFilm(1, "2026-03-01 21:30:04")); len(a) != 1 ||
		!time.UnixMilli(a[0].NotBefore).Equal(parseTime(t, "2026-03-02 02:30:05")) {
		t.Errorf("set again: %+v", a)
	}
	amended("2026-03-02 02:30:10", oneFilm(0, ""))
	if a := amended("2026-03-02 03:31:00", oneFilm(0, "")); len(a) == 0 || !a[0].Drop {
		t.Errorf("not set again: %+v", a)
	}
}

func TestRebuiltAndRestoredLibraries(t *testing.T) {
	const old = "2025-01-01 20:00:00"
	runScenarios(t, []scenario{
		{name: "removed, scanned and played one after the other", first: list(film(1, 2, old)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(withItemID(film(1, 0, ""), 8))},
			{at: "2026-03-02 02:02:00", files: list(withItemID(film(1, 1, "2026-03-01 21:01:50"), 8)), want: []string{"live F1 2026-03-02T02:01:50Z"}},
		}},
		{name: "a restored backup lowers counts without viewings", first: list(film(1, 2, "2026-02-01 20:00:00")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, old))},
			{at: "2026-03-02 02:02:00", files: list(film(1, 2, "2026-03-01 21:01:50")), want: []string{"live F1 2026-03-02T02:01:50Z"}},
		}},
		{name: "wiped and filled again by an add-on", first: films(30, 1, old), steps: []step{
			{at: "2026-03-02 02:01:00", files: films(30, 0, "")},
			{at: "2026-03-02 02:02:00", files: append(films(10, 1, old), films(30, 0, "")[10:]...)},
			{at: "2026-03-02 02:03:00", files: films(30, 1, "2024-12-31 20:00:00")},
			{at: "2026-03-02 02:04:00", files: append(films(29, 1, "2024-12-31 20:00:00"), film(1029, 2, "2026-03-01 21:03:50")), want: []string{"live F1029 2026-03-02T02:03:50Z"}},
		}},
		{name: "wiped and filled again, and played with the service off", first: films(30, 1, old), steps: []step{
			{at: "2026-03-02 02:01:00", files: films(30, 0, "")},
			{at: "2026-03-02 02:02:00", files: films(30, 1, old)},
			{at: "2026-03-03 02:04:00", files: append(films(29, 1, old), film(1029, 2, "2026-03-02 20:00:00")), want: []string{"catch-up F1029 2026-03-03T01:00:00Z"}},
		}},
		{name: "a known time comes back", first: list(film(1, 1, "2026-03-01 20:00:00")), steps: []step{
			{at: "2026-03-02 02:00:30", files: list(film(1, 1, ""))},
			{at: "2026-03-02 02:01:00", files: list(film(1, 2, "2026-03-01 20:00:00")), want: []string{"review F1 2026-03-02T01:00:00Z unsure"}},
		}},
		{name: "other files are still read, and a new time of a wiped one is held", first: append(films(30, 1, old), film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: append(films(30, 0, ""), film(1, 0, ""))},
			{at: "2026-03-02 04:01:00", files: append(append(films(29, 0, ""), film(1029, 1, "2026-03-01 22:00:00")), film(1, 1, "2026-03-01 22:30:00")), want: []string{"review F1029 2026-03-02T03:00:00Z", "catch-up F1 2026-03-02T03:30:00Z"}},
		}},
		{name: "unmarked, and restored from a backup, with a time that is now in another zone", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 04:30:00", files: list(film(1, 0, ""))},
			{at: "2026-03-02 06:00:30", empty: true},
			{at: "2026-03-02 06:01:10", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"review F1 2026-03-02T02:00:59Z unsure", "drop F1"}},
		}},
		{name: "unmarked, and restored with a later time of another zone", first: list(film(1, 0, ""), film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 0, ""), film(2, 1, "2026-03-01 21:00:59")), want: []string{"live F2 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(film(1, 1, "2026-03-02 07:31:59"), film(2, 1, "2026-03-01 21:00:59")), want: []string{"review F1 2026-03-02T12:31:59Z"}},
			{at: "2026-03-02 02:03:00", files: list(film(1, 0, ""), film(2, 1, "2026-03-01 21:00:59"))},
			{at: "2026-03-03 02:03:00", files: list(film(1, 1, "2026-03-02 07:31:59"), film(2, 1, "2026-03-01 21:00:59")), want: []string{"review F1 2026-03-02T12:31:59Z unsure", "drop F1"}},
		}},
		{name: "a wipe without change for a day is accepted", first: films(30, 1, old), steps: []step{
			{at: "2026-03-02 02:01:00", files: films(30, 0, "")},
			{at: "2026-03-03 02:02:00", files: films(30, 0, "")},
			{at: "2026-03-03 02:03:00", files: append(films(29, 0, ""), film(1029, 1, "2026-03-02 21:02:50")), want: []string{"live F1029 2026-03-03T02:02:50Z"}},
		}},
	})
}

// TestGuardTurnsOnAndOff has the cases of the section "Frozen" in doc.go.
func TestGuardTurnsOnAndOff(t *testing.T) {
	const old = "2025-01-01 20:00:00"
	wiped := []step{{at: "2026-03-02 02:00:00", files: films(30, 1, old)}, {at: "2026-03-02 02:01:00", files: films(30, 0, "")}}
	tests := []struct {
		name string
		more []step
		want bool
	}{
		{"on", nil, true},
		{"a third is back", []step{{at: "2026-03-02 02:02:00", files: append(films(10, 1, old), films(30, 0, "")[10:]...)}}, true},
		{"half is back", []step{{at: "2026-03-02 02:02:00", files: append(films(15, 1, old), films(30, 0, "")[15:]...)}}, false},
		{"a day without change", []step{{at: "2026-03-03 02:01:00", files: films(30, 0, "")}}, false},
		{"a day with a change", []step{
			{at: "2026-03-02 20:00:00", files: append(films(1, 1, old), films(30, 0, "")[1:]...)},
			{at: "2026-03-03 02:01:00", files: append(films(1, 1, old), films(30, 0, "")[1:]...)},
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			known := scenario{steps: append(slices.Clone(wiped), tt.more...)}.run(t)
			if known.Meta.Guard.On != tt.want {
				t.Errorf("guard %+v, want on=%v", known.Meta.Guard, tt.want)
			}
		})
	}
	few := scenario{steps: []step{{at: "2026-03-02 02:00:00", files: films(9, 1, old)}, {at: "2026-03-02 02:01:00", files: films(9, 0, "")}}}.run(t)
	if few.Meta.Guard.On {
		t.Error("nine unmarked films turned the guard on")
	}
}

// TestReplacedDatabaseWithdrawsNothing: counts that fall because the library file was replaced withdraw nothing.
func TestReplacedDatabaseWithdrawsNothing(t *testing.T) {
	z := Environment{Zone: location(t, "America/New_York")}
	known := scenario{steps: []step{
		{at: "2026-03-02 02:00:00", files: list(film(1, 0, ""))},
		{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:50")), want: []string{"live F1 2026-03-02T02:00:50Z"}},
	}}.run(t)
	for i, files := range [][]library.File{list(film(1, 0, "")), list(film(1, 0, "")), list(film(1, 1, "2026-03-01 21:00:50"))} {
		snap := snapshot(files...)
		snap.Path, snap.Version = "/u/Database/MyVideos131.db", 131
		v := Decide(known, snap, parseTime(t, "2026-03-02 02:02:00").Add(time.Duration(i)*5*time.Hour), z)
		if len(v.Viewings)+len(v.Amendments) != 0 {
			t.Errorf("read %d: %v", i, describe(v, map[string]string{}))
		}
		known = reload(t, known, v)
	}
}

func TestEventsFollowFileIdentity(t *testing.T) {
	clip := withoutItem(modified(film(1, 0, ""), func(f *library.File) { f.Path = "/films/new clip.mkv" }))
	double := withoutItem(modified(film(1, 0, ""), func(f *library.File) { f.Path = "/tv/S.S01E04E05.mkv" }))
	played := func(f library.File) library.File { f.PlayCount, f.LastPlayed = 1, "2026-03-01 21:00:59"; return f }
	with := func(f library.File, media ...viewing.Media) library.File {
		f.Items = nil
		for i, m := range media {
			f.Items = append(f.Items, library.Item{KodiID: int64(50 + i), Media: m})
		}
		return f
	}
	other := viewing.Media{Type: viewing.Movie, Title: "Other", IDs: viewing.IDs{TMDB: 77}}
	imdb := viewing.Media{Type: viewing.Movie, Title: "Old", IDs: viewing.IDs{IMDB: "tt0000077"}}
	nameless := viewing.Media{Type: viewing.Movie, Title: "Home video"}
	runScenarios(t, []scenario{
		{name: "played from Files, then scanned, which empties its count", first: list(film(2, 0, ""), clip), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(2, 0, ""), played(clip)), want: []string{"live new clip 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:05:00", files: list(film(2, 0, ""), with(clip, other)), want: []string{"rename new clip: note.calls title=Other"}},
			{at: "2026-03-02 05:05:00", files: list(film(2, 0, ""), with(clip, other))},
		}},
		{name: "and restored from a backup made before the scan", first: list(film(2, 0, ""), clip), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(2, 0, ""), played(clip)), want: []string{"live new clip 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:20", files: list(film(2, 0, ""), with(clip, other)), want: []string{"rename new clip: note.calls title=Other"}},
			{at: "2026-03-02 02:01:40", files: list(film(2, 0, ""), played(clip)), want: []string{"live new clip 2026-03-02T02:00:59Z = new clip"}},
		}},
		{name: "after more than 30 days nothing is amended", first: list(film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(2, 0, ""), played(clip)), want: []string{"live new clip 2026-03-02T02:00:59Z"}},
			{at: "2026-04-02 02:05:00", files: list(film(2, 0, ""), with(clip, other))},
		}},
		{name: "a file that turns out to hold two episodes", first: list(film(2, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(2, 0, ""), played(double)), want: []string{"live S S01E04 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:05:00", files: list(film(2, 0, ""), with(double, episode(4), episode(5))), want: []string{"rename S S01E04: note.calls title=S S01E04, S S01E05"}},
			{at: "2026-03-02 02:06:00", files: list(film(2, 0, ""), with(double, episode(4), episode(5)))},
		}},
		{name: "a wrong match is corrected", first: list(film(1, 0, "")), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(film(1, 1, "2026-03-01 21:00:59")), want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:05:00", files: list(with(film(1, 0, ""), other)), want: []string{"rename F1: note.calls title=Other"}},
			{at: "2026-03-02 12:05:00", files: list(with(film(1, 0, ""), other))},
		}},
		{name: "a match that gets an identifier", first: list(with(film(1, 0, ""), nameless)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(with(film(1, 1, "2026-03-01 21:00:59"), nameless)), want: []string{"live Home video 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(with(film(1, 1, "2026-03-01 21:00:59"), imdb)), want: []string{"rename Home video: note.calls title=Old"}},
			{at: "2026-03-02 02:03:00", files: list(with(film(1, 1, "2026-03-01 21:00:59"), nameless))},
		}},
		{name: "a file of two that loses one keeps its items", first: list(episodes(0, "", 4, 5)), steps: []step{
			{at: "2026-03-02 02:01:00", files: list(episodes(1, "2026-03-01 21:00:59", 4, 5)), want: []string{"live S S01E04+S S01E05 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:02:00", files: list(episodes(1, "2026-03-01 21:00:59", 4)), want: []string{"rename S S01E04+S S01E05: note.calls title=S S01E04 (noted)"}},
		}},
	})
}

// TestInvalidMediaIsReplacedByFileName: invalid media is never submitted.
func TestInvalidMediaIsReplacedByFileName(t *testing.T) {
	r := &reading{now: time.Now()}
	odd := film(1, 0, "")
	odd.Items = []library.Item{{KodiID: 1, Media: viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: -4}}}}
	if got := r.validMedia(odd)[0]; got.Type != viewing.Movie || got.Title != "1" {
		t.Errorf("an invalid item became %+v, want what the file's name says", got)
	}
}

func TestGuessMedia(t *testing.T) {
	tests := map[string]string{
		"/films/Alpha One (1999).mkv":       "Alpha One (1999)",
		`C:\tv\Show.Red.s02e13.1080p.mkv`:   "Show.Red S02E13",
		"smb://nas/tv/Show - S01E04E05.avi": "Show S01E04",
		"/x/S00E00.mkv":                     "unknown show",
		"/x/.mkv":                           "unknown movie",
	}
	for file, want := range tests {
		m := guessMedia(file)
		if got := m.Label(); got != want {
			t.Errorf("guess(%q) is %q, want %q", file, got, want)
		}
		if !m.Unsure {
			t.Errorf("guess(%q) is not marked as unsure", file)
		}
	}
}
