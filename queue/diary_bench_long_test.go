//go:build long

package queue

import (
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// BenchmarkDiary measures what the pages read, with 1,000,000 viewings of 20 years: three of
// four are episodes of 2,000 series, the others of 50,000 films.
func BenchmarkDiary(b *testing.B) {
	s := fresh(b)
	s.change(b, `INSERT INTO events (source, source_kind, event_id, body, committed_at) VALUES ('browser:b1', 'browser', 'x', '{}', 0)`,
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000000)
		INSERT INTO entries (event, account, part, kind, state, media, item_key, watched_at, watched, next_at, planned_at, created_at, decided, words, minutes, root)
		SELECT 1, 'default', n, 'viewing', 'delivered',
			iif(n % 4, json_object('type', 'episode', 'show', json_object('ids', json_object('tmdb', n / 500), 'title', 'Series ' || (n / 500)), 'season', 1, 'episode', n % 500),
				json_object('type', 'movie', 'ids', json_object('tmdb', n / 20), 'title', 'Film ' || (n / 20))),
			iif(n % 4, 'episode:' || (n / 500) || ':1:' || (n % 500), 'movie:' || (n / 20)),
			1767225600000 - n * 630720, '{"millis":0}', 0, 0, 0, '[]', iif(n % 4, ' series ' || (n / 500), ' film ' || (n / 20)), 50, iif(n % 4, 'tv:' || (n / 500), 'movie:' || (n / 20)) FROM i`, "ANALYZE")
	for name, do := range map[string]func() error{
		"year": func() error { _, err := s.Year(b.Context(), 2025, time.Local); return err },
		"none": func() error {
			_, err := s.Entries(b.Context(), entry.Filter{Words: "nothing", ByTime: true, Kind: viewing.KindViewing, Kept: true, Limit: 51})
			return err
		},
		"some": func() error {
			_, err := s.Entries(b.Context(), entry.Filter{Words: "film 4999", ByTime: true, Kind: viewing.KindViewing, Kept: true, Limit: 51})
			return err
		},
		"page": func() error {
			_, err := s.Entries(b.Context(), entry.Filter{ByTime: true, Kind: viewing.KindViewing, Kept: true, Limit: 51})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
