package announce

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/viewing"
)

// at returns a time, in milliseconds after a fixed start.
func at(ms int) time.Time {
	return time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

// announcement returns a message as Kodi 20.1 sends it. The count may be "".
func announcement(t testing.TB, method, kind string, id int64, count string) (m message) {
	t.Helper()
	text := fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s","params":{"data":{"item":{"id":%d,"type":"%s"}%s},"sender":"xbmc"}}`, method, id, kind, count)
	if err := read(strings.NewReader(text), func(got message) { m = got }); m.Method != method {
		t.Fatal(err)
	}
	return m
}

// describe returns clear updates as short lines.
func describe(updates []Update) (all []string) {
	for _, a := range updates {
		if a.Unclear {
			continue
		}
		what := "marked"
		if !a.Began.IsZero() {
			what = fmt.Sprint("marked, playing since ", a.Began.Sub(at(0)).Milliseconds())
		}
		if !a.Ended.IsZero() {
			what = fmt.Sprint("played until ", a.Ended.Sub(at(0)).Milliseconds())
		}
		all = append(all, fmt.Sprint(a.Type, " ", a.ID, " ", a.Count, " ", what))
	}
	return all
}

func listed(b *updateLog, now time.Time) []Update {
	all, _ := b.list(now)
	return all
}

func waitTime(b *updateLog, now time.Time) time.Duration {
	_, wait := b.list(now)
	return wait
}

// TestUpdatesFromAnnouncements has each sequence of the table in doc.go as announced by a real Kodi,
// and sequences with missing announcements.
func TestUpdatesFromAnnouncements(t *testing.T) {
	type line struct {
		at     int
		method string
		id     int64
		count  string
	}
	played, marked := []string{"movie 2 1 played until 60100"}, []string{"movie 2 1 marked"}
	const updated, stopped, play = "VideoLibrary.OnUpdate", "Player.OnStop", "Player.OnPlay"
	for name, c := range map[string]struct {
		lines  []line
		begins int // when the connection was made
		breaks int // when it ended; 0 for not
		now    int
		want   []string
	}{
		"played":                           {[]line{{0, play, 2, ""}, {60000, updated, 2, "1"}, {60100, stopped, 2, ""}}, -9999, 0, 60200, played},
		"the end comes first":              {[]line{{60100, stopped, 2, ""}, {60150, updated, 2, "1"}}, -9999, 0, 60200, played},
		"played, began before connection":  {[]line{{60000, updated, 2, "1"}, {60100, stopped, 2, ""}}, 59000, 0, 60200, played},
		"skipped to the next":              {[]line{{0, play, 2, ""}, {60000, updated, 2, "1"}, {60100, play, 3, ""}}, -9999, 0, 60200, played},
		"skipped, began before connection": {[]line{{600000, updated, 2, "1"}, {600100, play, 3, ""}}, 0, 0, 603000, nil},
		"skipped, and counted late":        {[]line{{600000, play, 3, ""}, {600100, updated, 2, "1"}}, 0, 0, 603000, nil},
		"skipped again":                    {[]line{{0, play, 2, ""}, {600000, play, 3, ""}, {600100, updated, 4, "1"}}, -9999, 0, 603000, []string{"movie 4 1 marked"}},
		"marked long before a play":        {[]line{{600000, updated, 2, "1"}, {602000, play, 3, ""}}, 0, 0, 603000, marked},
		"marked, and another is paused":    {[]line{{600000, updated, 2, "1"}, {600100, "Player.OnPause", 3, ""}}, 0, 0, 603000, marked},
		"the end of another":               {[]line{{0, play, 3, ""}, {60000, updated, 2, "1"}, {60100, stopped, 3, ""}}, -9999, 0, 62000, marked},
		"an end that comes late":           {[]line{{60000, updated, 2, "1"}, {62000, stopped, 2, ""}}, -9999, 0, 63000, marked},
		"an end long before":               {[]line{{0, play, 2, ""}, {57900, stopped, 2, ""}, {60000, updated, 2, "1"}}, -9999, 0, 63000, marked},
		"marked":                           {[]line{{60000, updated, 2, "1"}}, -9999, 0, 62000, marked},
		"marked a moment ago":              {[]line{{60000, updated, 2, "1"}}, -9999, 0, 61900, nil},
		"marked while it is played":        {[]line{{0, play, 2, ""}, {60000, updated, 2, "1"}}, -9999, 0, 99000, []string{"movie 2 1 marked, playing since 0"}},
		"marked while another is played":   {[]line{{0, play, 3, ""}, {60000, updated, 2, "1"}}, -9999, 0, 99000, marked},
		"marked after an odd stop":         {[]line{{0, play, 2, ""}, {9, stopped, 3, ""}, {60000, updated, 2, "1"}}, -9999, 0, 99000, []string{"movie 2 1 marked, playing since 0"}},
		"marked as the connection began":   {[]line{{60000, updated, 2, "1"}}, 58100, 0, 99000, nil},
		"marked as the connection broke":   {[]line{{60000, updated, 2, "1"}}, -9999, 61900, 99000, nil},
		"marked long before it broke":      {[]line{{60000, updated, 2, "1"}}, -9999, 62000, 99000, marked},
		"read again":                       {[]line{{60000, updated, 2, ""}}, -9999, 0, 99000, nil},
		"too long ago":                     {[]line{{0, updated, 2, "1"}, {600001, updated, 3, "1"}}, -9999, 0, 700000, []string{"movie 3 1 marked"}},
		"played twice":                     {[]line{{0, updated, 2, "1"}, {9, stopped, 2, ""}, {60000, updated, 2, "2"}}, -9999, 0, 99000, []string{"movie 2 1 played until 9", "movie 2 2 marked"}},
	} {
		var b updateLog
		b.connect(at(c.begins))
		for _, l := range c.lines {
			if l.count != "" {
				l.count = `,"playcount":` + l.count
			}
			b.handle(at(l.at), announcement(t, l.method, "movie", l.id, l.count))
		}
		if c.breaks > 0 {
			b.disconnect(at(c.breaks))
		}
		if diff := cmp.Diff(c.want, describe(listed(&b, at(c.now)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOnlyFilmsAndEpisodesMakeUpdates: other items are ignored, and a film differs from an episode with the same id.
func TestOnlyFilmsAndEpisodesMakeUpdates(t *testing.T) {
	var b updateLog
	b.connect(at(-9999))
	for _, kind := range []string{"tvshow", "song", "movie", ""} {
		b.handle(at(0), announcement(t, "VideoLibrary.OnUpdate", kind, 2, `,"playcount":1`))
	}
	b.handle(at(1), announcement(t, "Player.OnStop", "episode", 2, ""))
	if diff := cmp.Diff([]string{"movie 2 1 marked"}, describe(listed(&b, at(9999)))); diff != "" {
		t.Error(diff)
	}
}

// TestUpdatesAreFinalAfterWait: after the wait time the updates do not change anymore.
func TestUpdatesAreFinalAfterWait(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, now, counts := updateLog{}, 0, map[int64]int{}
		b.connect(at(rapid.IntRange(-5000, 0).Draw(t, "begin")))
		for range rapid.IntRange(1, 30).Draw(t, "messages") {
			now += rapid.IntRange(0, 3000).Draw(t, "pause")
			id := rapid.Int64Range(1, 3).Draw(t, "item")
			m := message{Method: rapid.SampledFrom([]string{"VideoLibrary.OnUpdate", "Player.OnPlay", "Player.OnStop", "Player.OnAVStart"}).Draw(t, "method")}
			m.Params.Data.Item = &item{id, viewing.Movie}
			if m.Method == "VideoLibrary.OnUpdate" {
				counts[id]++
				n := counts[id]
				m.Params.Data.PlayCount = &n
			}
			b.handle(at(now), m)
			if rapid.IntRange(0, 9).Draw(t, "break") == 0 {
				b.disconnect(at(now))
				b.connect(at(now))
			}
		}
		then := at(now).Add(waitTime(&b, at(now)))
		if waitTime(&b, then) > 0 || then.Sub(at(now)) > endWindow {
			t.Fatalf("not decided after %v", then.Sub(at(now)))
		}
		before := describe(listed(&b, then))
		var m message
		m.Method, m.Params.Data.Item = "Player.OnStop", &item{1, viewing.Movie}
		b.handle(then, m)
		b.disconnect(then)
		if diff := cmp.Diff(before, describe(listed(&b, then.Add(time.Minute)))); diff != "" {
			t.Fatalf("changed after the wait:\n%s", diff)
		}
		for _, a := range listed(&b, then) {
			if a.Count > counts[a.ID] || !a.Ended.IsZero() && (a.Ended.Sub(a.At) >= endWindow || a.At.Sub(a.Ended) >= endWindow) {
				t.Fatalf("invented: %+v", a)
			}
		}
	})
}
