package queue

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestRecordedIncludesAllSourcesAndStates(t *testing.T) {
	s := openNew(t)
	s.settings = rules.Settings{Routes: map[string][]string{"kodi:/hers": {"hers"}}}
	day := film("day", 2, 60)
	day.WatchedAt.Precision = viewing.Day
	bulk := film("bulk", 2, 0)
	bulk.Class = viewing.ClassBulk
	s.commitBatch(t, viewing.Batch{Source: "browser:b", Events: []viewing.Event{film("b", 1, 5)}})
	s.commitBatch(t, viewing.Batch{Source: "kodi:/mine", Events: []viewing.Event{film("k", 1, 200), day, bulk, film("other", 9, 0)}})
	s.commitBatch(t, viewing.Batch{Source: "kodi:/hers", Events: []viewing.Event{film("h", 1, 7)}})
	got, err := s.Recorded(t.Context(), "kodi:/mine", []string{"movie:1", "movie:2", "movie:3"})
	if err != nil {
		t.Fatal(err)
	}
	at := func(minute int, p viewing.Precision) viewing.Instant {
		return viewing.Instant{Millis: film("", 1, minute).WatchedAt.Millis, Precision: p}
	}
	want := map[string][]viewing.Instant{
		"movie:1": {at(5, viewing.Second), at(200, viewing.Second)},
		"movie:2": {at(0, viewing.Second), at(60, viewing.Day)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, _ = s.Recorded(t.Context(), "kodi:/hers", []string{"movie:1"}); len(got["movie:1"]) != 1 {
		t.Errorf("another account has %v", got)
	}
}
