package kodi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// nfoEpisode is one episode of an NFO file.
func nfoEpisode(number, count int, lastPlayed string) string {
	return fmt.Sprintf(`<episodedetails><title>Part %d</title><season>1</season><episode>%d</episode><playcount>%d</playcount>`+
		`<lastplayed>%s</lastplayed><runtime>40</runtime><uniqueid type="tmdb" default="true">%d</uniqueid></episodedetails>`, number, number, count, lastPlayed, 62080+number)
}

// Of a file with two episodes of which one was watched, that one is told and the
// other is not, whichever it is, and later the other way round.
func TestExportedOneEpisodeOfTwo(t *testing.T) {
	for first, second := range map[int]int{3: 4, 4: 3} {
		b := newBookcase(t, map[string]string{"d.nfo": nfoEpisode(3, 0, "") + nfoEpisode(4, 0, "")})
		count, last := map[int]int{}, map[int]string{}
		write := func() {
			b.put(t, "d.nfo", nfoEpisode(3, count[3], last[3])+nfoEpisode(4, count[4], last[4]))
			b.pass(t)
		}
		for n, episode := range []int{first, second} {
			b.back(5 * time.Hour)
			count[episode]++
			last[episode] = time.Now().UTC().Add(-time.Duration(2-n) * time.Hour).Format(time.DateTime)
			write()
			got := b.s.viewings()
			if len(got) != n+1 {
				t.Fatalf("%d viewings after %d plays: %+v", len(got), n+1, got)
			}
			v := got[n]
			if len(v.Media) != 1 || *v.Media[0].Episode != episode || v.Class != viewing.ClassCatchUp || !strings.HasSuffix(v.Origin.Path, fmt.Sprintf("d.nfo/S01E%02d", episode)) {
				t.Errorf("play %d is %+v", n, v)
			}
		}
	}
}

// A file that was seen half written, and was whole a moment later, is no file
// that Kodi has read again: its play is live.
func TestExportedHalfWrittenThenLive(t *testing.T) {
	b := newBookcase(t, map[string]string{"a.nfo": nfoFilm(603, 0, "")})
	played := nfoFilm(603, 1, time.Now().UTC().Format(time.DateTime))
	for _, half := range []int{0, 10, len(played) - 20, len(played) - 3} {
		b.put(t, "a.nfo", played[:half])
		b.pass(t)
		if got := b.s.viewings(); len(got) != 0 {
			t.Fatalf("half written to %d: %+v", half, got)
		}
	}
	b.put(t, "a.nfo", played)
	b.pass(t)
	if got := b.s.viewings(); len(got) != 1 || got[0].Class != viewing.ClassLive || got[0].Media[0].Key() != "movie:603" {
		t.Errorf("got %+v", got)
	}
}
