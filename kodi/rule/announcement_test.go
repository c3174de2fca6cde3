package rule

import (
	"slices"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/announce"
	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The times of these tests: a baseline at 02:00:00 UTC, and a read a minute later. In New York it is the
// evening before.
const (
	before  = "2026-03-02 02:00:00"
	readAt  = "2026-03-02 02:01:00"
	justNow = "2026-03-01 21:00:59"
)

// announcement returns an update of a film, a second before the read.
func announcement(id int64, count int, played bool) announce.Update {
	at, _ := time.Parse(time.DateTime, readAt)
	a := announce.Update{Type: viewing.Movie, ID: id, Count: count, At: at.Add(-time.Second)}
	if played {
		a.Ended = a.At.Add(100 * time.Millisecond)
	}
	return a
}

// TestAnnouncementDecidesClass: the count of a film rises, with different announcements.
func TestAnnouncementDecidesClass(t *testing.T) {
	writer, reporter := Environment{Writers: []string{"script.trakt"}}, Environment{Reporters: []string{"script.tracker"}}
	played, marked := announcement(1, 1, true), announcement(1, 1, false)
	other := func(change func(*announce.Update)) announce.Update {
		a := played
		change(&a)
		return a
	}
	const live = "live F1 2026-03-02T02:00:59Z"
	for name, c := range map[string]struct {
		from, to library.File
		act      announce.Update
		with     Environment
		want     string
	}{
		"played":                           {film(1, 0, ""), film(1, 1, justNow), played, Environment{}, live},
		"played, counted twice":            {film(1, 0, ""), film(1, 2, justNow), announcement(1, 2, true), Environment{}, live},
		"played, Kodi's clock is behind":   {film(1, 0, ""), film(1, 1, "2026-03-01 20:50:00"), played, Environment{}, live},
		"played, Kodi's clock is ahead":    {film(1, 0, ""), film(1, 1, "2026-03-09 20:50:00"), played, Environment{}, live},
		"played, without a time":           {film(1, 0, ""), film(1, 1, ""), played, Environment{}, live},
		"played, before 1970 by its clock": {film(1, 0, ""), film(1, 1, "1970-01-01 00:30:00"), played, Environment{}, live},
		"played, the time stayed":          {film(1, 1, justNow), film(1, 2, justNow), announcement(1, 2, true), Environment{}, live},
		"played, and inserted again":       {film(1, 0, ""), withItemID(film(1, 1, justNow), 7), announcement(7, 1, true), Environment{}, live},
		"marked":                           {film(1, 0, ""), film(1, 1, justNow), marked, Environment{}, "marked F1 2026-03-02T02:00:59Z"},
		"marked with an old date":          {film(1, 0, ""), film(1, 1, "2026-02-01 20:50:00"), marked, Environment{}, "backdated F1 2026-02-02T01:50:00Z"},

		"of another film":      {film(1, 0, ""), film(1, 1, "2026-03-01 20:50:00"), announcement(2, 1, true), Environment{}, "backdated F1 2026-03-02T01:50:00Z"},
		"of an episode":        {film(1, 0, ""), film(1, 1, justNow), other(func(a *announce.Update) { a.Type = viewing.Episode }), writer, "review F1 2026-03-02T02:00:59Z"},
		"with another count":   {film(1, 0, ""), film(1, 1, justNow), announcement(1, 2, true), writer, "review F1 2026-03-02T02:00:59Z"},
		"before the last read": {film(1, 0, ""), film(1, 1, justNow), other(func(a *announce.Update) { a.At = a.At.Add(-62 * time.Second) }), writer, "review F1 2026-03-02T02:00:59Z"},

		"played, with a writer":   {film(1, 0, ""), film(1, 1, justNow), played, writer, live},
		"marked, with a writer":   {film(1, 0, ""), film(1, 1, justNow), marked, writer, "review F1 2026-03-02T02:00:59Z"},
		"played, with a reporter": {film(1, 0, ""), film(1, 1, justNow), played, reporter, "review F1 2026-03-02T02:00:59Z"},
		"marked, with a reporter": {film(1, 0, ""), film(1, 1, justNow), marked, reporter, "review F1 2026-03-02T02:00:59Z"},
		"silent, with a reporter": {film(1, 0, ""), film(1, 1, justNow), announce.Update{}, reporter, "review F1 2026-03-02T02:00:59Z"},
	} {
		t.Run(name, func(t *testing.T) {
			scenario{with: c.with, steps: []step{
				{at: before, files: list(c.from)}, {at: readAt, files: list(c.to), updates: []announce.Update{c.act}, want: []string{c.want}},
			}}.run(t)
		})
	}
}

// TestAnnouncedPlaybackIsNotBulk: if the counts of two films rise within two seconds, an announced
// playback is live, and a single mark next to it is not a bulk mark.
func TestAnnouncedPlaybackIsNotBulk(t *testing.T) {
	none := list(film(1, 0, ""), film(2, 0, ""))
	both := list(film(1, 1, justNow), film(2, 1, justNow))
	for name, c := range map[string]struct {
		updates []announce.Update
		want    []string
	}{
		"both played":            {[]announce.Update{announcement(1, 1, true), announcement(2, 1, true)}, []string{"live F1 2026-03-02T02:00:59Z", "live F2 2026-03-02T02:00:59Z"}},
		"one played, one marked": {[]announce.Update{announcement(1, 1, true), announcement(2, 1, false)}, []string{"live F1 2026-03-02T02:00:59Z", "marked F2 2026-03-02T02:00:59Z"}},
		"one played, one silent": {[]announce.Update{announcement(2, 1, true)}, []string{"live F1 2026-03-02T02:00:59Z", "live F2 2026-03-02T02:00:59Z"}},
		"both marked":            {[]announce.Update{announcement(1, 1, false), announcement(2, 1, false)}, []string{"bulk F1 2026-03-02T02:00:59Z", "bulk F2 2026-03-02T02:00:59Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			scenario{steps: []step{{at: before, files: none}, {at: readAt, files: both, updates: c.updates, want: c.want}}}.run(t)
		})
	}
	t.Run("in two reads", func(t *testing.T) {
		scenario{steps: []step{
			{at: before, files: none},
			{at: readAt, files: list(both[0], none[1]), updates: []announce.Update{announcement(1, 1, true)}, want: []string{"live F1 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:01", files: both, want: []string{"live F2 2026-03-02T02:00:59Z"}},
		}}.run(t)
	})
}

// TestMarkAndPlaybackAreOneViewing: a playback joins an earlier mark, unless the mark is held.
func TestMarkAndPlaybackAreOneViewing(t *testing.T) {
	play := announcement(1, 2, true)
	play.At, play.Ended = play.At.Add(time.Minute), play.Ended.Add(time.Minute)
	for name, c := range map[string]struct {
		with Environment
		want []string
	}{
		"alone":         {Environment{}, []string{"marked F1 2026-03-02T02:00:59Z", "live F1 2026-03-02T02:01:59Z = F1"}},
		"with a writer": {Environment{Writers: []string{"script.trakt"}}, []string{"review F1 2026-03-02T02:00:59Z", "live F1 2026-03-02T02:01:59Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			scenario{with: c.with, steps: []step{
				{at: before, files: list(film(1, 0, ""))},
				{at: readAt, files: list(film(1, 1, justNow)), updates: []announce.Update{announcement(1, 1, false)}, want: c.want[:1]},
				{at: "2026-03-02 02:02:00", files: list(film(1, 2, "2026-03-01 21:01:59")), updates: []announce.Update{play}, want: c.want[1:]},
			}}.run(t)
		})
	}
}

// TestRealKodiSequences has sequences from a real Kodi that were once classified wrongly. F, M and H
// number false, missed and unnecessarily held viewings. The package comment lists the known limits.
func TestRealKodiSequences(t *testing.T) {
	from := parseTime(t, "2026-03-02 01:00:00") // start of the connection to Kodi
	sec := func(n int) time.Time { return parseTime(t, readAt).Add(time.Duration(n) * time.Second) }
	mark := func(id int64, count, at int) announce.Update {
		return announce.Update{Type: viewing.Movie, ID: id, Count: count, At: sec(at)}
	}
	end := func(id int64, count, began, at int) announce.Update {
		return announce.Update{Type: viewing.Movie, ID: id, Count: count, At: sec(at), Ended: sec(at), Began: sec(began)}
	}
	ny := func(at int) string { return sec(at).In(location(t, "America/New_York")).Format(time.DateTime) }
	clock := func(at int) string { return sec(at).Format(time.DateTime) }
	z := func(at int) string { return sec(at).Format(time.RFC3339) }
	short := func(count int, last string) library.File {
		return modified(film(1, count, last), func(f *library.File) { f.Duration = time.Minute })
	}
	none := step{at: before, files: list(film(1, 0, ""))}
	const old = "2026-02-01 20:00:00"
	updates := func(all ...announce.Update) []announce.Update { return all }
	for name, steps := range map[string][]step{
		"F1 marked in its own playback, then watched to the end": {
			{at: before, files: list(short(0, ""))},
			{at: clock(1), files: list(short(1, "")), updates: updates(announce.Update{Type: viewing.Movie, ID: 1, Count: 1, At: sec(0), Began: sec(-6)}), want: []string{"marked F1 " + z(0)}},
			{at: clock(82), files: list(short(2, ny(80))), updates: updates(end(1, 2, -6, 80)), want: []string{"live F1 " + z(80) + " = F1"}},
		},
		"watched again at once": {
			{at: before, files: list(short(0, ""))},
			{at: clock(1), files: list(short(1, ny(0))), updates: updates(end(1, 1, -60, 0)), want: []string{"live F1 " + z(0)}},
			{at: clock(62), files: list(short(2, ny(61))), updates: updates(end(1, 2, 1, 61)), want: []string{"live F1 " + z(61)}},
		},
		"F2, F3 written by another program, not announced": {none, {at: readAt, files: list(film(1, 1, ny(-2))), want: []string{"review F1 " + z(-2)}}},
		"the same, with an unclear announcement":           {none, {at: readAt, files: list(film(1, 1, ny(-2))), updates: updates(announce.Update{Type: viewing.Movie, ID: 1, Count: 1, At: sec(-2), Unclear: true}), want: []string{"live F1 " + z(-2)}}},
		"the same, of a file without an item":              {{at: before}, {at: readAt, files: list(modified(film(1, 1, ny(-2)), func(f *library.File) { f.Items = nil })), want: []string{"live 1 " + z(-2)}}},
		"the same, last read before the connection":        {{at: "2026-03-02 00:59:00", files: none.files}, {at: readAt, files: list(film(1, 1, ny(-2))), want: []string{"catch-up F1 " + z(-2)}}},
		"the same, connected after the last read": {
			{at: "2026-03-02 00:58:00", files: none.files},
			{at: "2026-03-02 01:01:00", files: list(film(1, 1, ny(-3602))), want: []string{"catch-up F1 " + z(-3602)}},
		},
		"F4 marked by a program, with a time that is not that of the mark": {
			{at: "2026-03-02 01:55:00", files: none.files},
			{at: readAt, files: list(film(1, 1, ny(-100))), updates: updates(mark(1, 1, -1)), want: []string{"review F1 " + z(-100)}},
		},
		"F6 marked again after a backup was put back": {
			none,
			{at: clock(0), files: list(film(1, 1, ny(-1))), updates: updates(end(1, 1, -6000, -1)), want: []string{"live F1 " + z(-1)}},
			{at: clock(20000), files: list(withItemID(film(1, 0, ""), 7))},
			{at: clock(20060), files: list(withItemID(film(1, 1, ny(20059)), 7)), updates: updates(mark(7, 1, 20059)), want: []string{"review F1 " + z(20059)}},
		},
		"F7 two marked by hand, seconds apart": {
			{at: before, files: list(film(1, 0, ""), film(2, 0, ""))},
			{at: readAt, files: list(film(1, 1, ny(-6)), film(2, 1, ny(-3))), updates: updates(mark(1, 1, -6), mark(2, 1, -3)), want: []string{"marked F1 " + z(-6), "marked F2 " + z(-3)}},
		},
		"M1 both episodes of a file": {
			{at: before, files: list(episodes(0, "", 1, 2))},
			{at: readAt, files: list(episodes(1, ny(-1), 1, 2)), updates: updates(announce.Update{Type: viewing.Episode, ID: 1, Count: 1, At: sec(-1), Ended: sec(-1)}), want: []string{"live S S01E01+S S01E02 " + z(-1)}},
		},
		"M2 unmarked, then its last part watched": {
			{at: before, files: list(film(1, 1, old))},
			{at: clock(0), files: list(film(1, 0, old))},
			{at: clock(20), files: list(film(1, 1, ny(19))), updates: updates(end(1, 1, 1, 19)), want: []string{"live F1 " + z(19)}},
		},
		"M3 marked and played while most of the library has vanished": {
			{at: before, files: films(30, 1, old)},
			{at: clock(0), files: films(30, 0, old)},
			{at: clock(30), files: slices.Concat(list(film(1000, 1, old), film(1001, 1, ny(20))), films(30, 0, old)[2:]), updates: updates(mark(1000, 1, 10), end(1001, 1, -6000, 20)), want: []string{"marked F1000 " + z(10), "live F1001 " + z(20)}},
		},
		"refilled by a program that announces all of it": {
			{at: before, files: films(30, 1, old)},
			{at: clock(0), files: films(30, 0, old)},
			{at: clock(30), files: slices.Concat(films(2, 1, old), films(30, 0, old)[2:]), updates: updates(mark(1000, 1, 10), mark(1001, 1, 11)), want: []string{"bulk F1000 " + z(10), "bulk F1001 " + z(11)}},
		},
		"M4 unmarked right after it was watched": {
			none,
			{at: clock(0), files: list(film(1, 1, ny(-1))), updates: updates(end(1, 1, -6000, -1)), want: []string{"live F1 " + z(-1)}},
			{at: clock(5), files: list(film(1, 0, ny(-1))), updates: updates(mark(1, 0, 4))},
			{at: clock(9000), files: list(film(1, 0, ny(-1)))},
		},
		"H1 marked by a phone, the old time stays": {
			{at: before, files: list(film(1, 0, old))},
			{at: readAt, files: list(film(1, 1, old)), updates: updates(mark(1, 1, -1)), want: []string{"marked F1 " + z(-1)}},
		},
		"three marked by a phone, the old times stay": {
			{at: before, files: films(3, 0, old)},
			{at: readAt, files: films(3, 1, old), updates: updates(mark(1000, 1, -30), mark(1001, 1, -20), mark(1002, 1, -10)), want: []string{"marked F1000 " + z(-30), "marked F1001 " + z(-20), "marked F1002 " + z(-10)}},
		},
		"marked, then played to its end": {
			none,
			{at: readAt, files: list(film(1, 1, ny(-2))), updates: updates(mark(1, 1, -2), end(1, 1, -6000, -2)), want: []string{"live F1 " + z(-2)}},
		},
		"a trailer, an extra, a sample, a disc, played from Files": {
			{at: before},
			{at: readAt, files: list(playedFile("/films/A (1999)/A (1999)-trailer.mkv"), playedFile("/films/A (1999)/extras/Making of.mkv"), playedFile("/films/A/sample.mkv"), playedFile("/films/A/A.cd1.avi"))},
		},
		"a film with such a word in its name": {
			{at: before},
			{at: readAt, files: list(playedFile("/films/The Big Short.mkv")), want: []string{"live The Big Short " + z(-2)}},
		},
	} {
		t.Run(name, func(t *testing.T) { scenario{listeningSince: from, steps: steps}.run(t) })
	}
}

// playedFile returns a file without an item that was played two seconds before the read.
func playedFile(path string) library.File {
	return modified(film(1, 1, "2026-03-01 21:00:58"), func(f *library.File) { f.Path, f.Items = path, nil })
}

// TestAddOnWritesAreHeld: with an add-on that writes, or reports to the same service, viewings without an
// announcement are held: single marks, and times between two reads. One sitting is held once.
func TestAddOnWritesAreHeld(t *testing.T) {
	files := films(3, 0, "")
	changed := func(n, count int, last string) []library.File {
		files = slices.Clone(files)
		files[n].PlayCount, files[n].LastPlayed = count, last
		return files
	}
	for _, with := range []Environment{{Writers: []string{"plugin.video.jellyfin"}}, {Reporters: []string{"script.tracker"}}} {
		files = films(3, 0, "")
		scenario{with: with, first: films(3, 0, ""), steps: []step{
			{at: "2026-03-02 02:01:00", files: changed(0, 1, "2026-03-01 21:00:59"), want: []string{"review F1000 2026-03-02T02:00:59Z"}},
			{at: "2026-03-02 02:01:06", files: changed(1, 1, "2026-03-01 21:01:05"), want: []string{"review F1001 2026-03-02T02:01:05Z"}},
			{at: "2026-03-02 09:00:00", files: changed(2, 1, "2026-03-02 00:59:59"), want: []string{"review F1002 2026-03-02T05:59:59Z"}},
			{at: "2026-03-02 09:00:08", files: changed(2, 2, "2026-03-02 04:00:07"), want: []string{"review F1002 2026-03-02T09:00:07Z"}},
			{at: "2026-03-02 09:00:15", files: changed(2, 3, "2026-03-02 04:00:14"), want: []string{"review F1002 2026-03-02T09:00:14Z = F1002"}},
		}}.run(t)
	}
}
