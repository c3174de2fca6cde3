package doubt

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

func filmNumber(id int64) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}}
}

func placed(show int64, season, number int) viewing.Media {
	return viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}}, Season: &season, Episode: &number}
}

func TestRead(t *testing.T) {
	record := func(id int64, at time.Time) tracker.HistoryItem {
		return tracker.HistoryItem{Type: "movie", ID: id, WatchedAt: at}
	}
	other := watched().Add(-time.Hour)
	season, number := 1, 2
	items := []tracker.HistoryItem{record(1, watched()), record(2, other), record(3, other), {Type: "episode", ShowID: 9, Season: &season, Episode: &number, WatchedAt: other}}
	history := func(anchors ...Anchor) History {
		return NewHistory(attempt(), tracker.Reading{Items: items, Complete: true}, anchors)
	}
	elsewhere := Anchor{Media: filmNumber(2), Watched: other.Add(time.Second), Sent: other}
	there := Anchor{Media: filmNumber(3), Watched: other, Sent: other}
	gone := Anchor{Media: filmNumber(4), Watched: other, Sent: other}
	want := Reading{At: attempt(), Complete: true, Records: []time.Time{watched()}}
	h := history(elsewhere, Anchor{Media: placed(9, 1, 2), Watched: other, Sent: other})
	if diff := cmp.Diff(want, h.Read(filmNumber(1), watched(), Exact)); diff != "" {
		t.Errorf("with an anchor that is not there at its time, and one of another form: (-want +got)\n%s", diff)
	}
	want.Anchor = true
	if diff := cmp.Diff(want, history(elsewhere, there, gone).Read(filmNumber(1), watched(), Exact)); diff != "" {
		t.Errorf("with an anchor: (-want +got)\n%s", diff)
	}
	if got := history(there, gone).Precision(); got != Exact {
		t.Errorf("learned %q", got)
	}
	if got := history(slices.Repeat([]Anchor{gone}, maxAnchors)...); len(append(got.anchors, history(slices.Repeat([]Anchor{gone}, maxAnchors+1)...).anchors...)) != 2*maxAnchors {
		t.Error("the number of anchors is not limited to maxAnchors")
	}
}
