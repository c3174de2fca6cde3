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
	s := openNew(b)
	s.change(b, "DROP INDEX entries_event", `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000000)
		INSERT INTO events (source, source_kind, event_id, body, committed_at) SELECT 'browser:b' || (n % 5), 'browser', 'event-' || n, hex(zeroblob(150)), 0 FROM i`,
		`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1000000)
		INSERT INTO entries (event, account, part, kind, state, media, item_key, watched_at, watched, next_at, planned_at, created_at, decided, words, minutes, root)
		SELECT n, 'default', 0, 'viewing', 'delivered',
			iif(n % 4, json_object('type', 'episode', 'show', json_object('ids', json_object('tmdb', n / 500), 'title', 'Series ' || (n / 500)), 'season', 1, 'episode', n % 500),
				json_object('type', 'movie', 'ids', json_object('tmdb', n / 20), 'title', 'Film ' || (n / 20))),
			iif(n % 4, 'episode:' || (n / 500) || ':1:' || (n % 500), 'movie:' || (n / 20)),
			1136073600000 + n * 630720, '{"millis":0}', 0, 0, 0, '[]',
			iif(n % 4, printf(' series %d s01e%02d', n / 500, n % 500), ' film ' || (n / 20)), 50, iif(n % 4, 'tv:' || (n / 500), 'movie:' || (n / 20)) FROM i`,
		"CREATE INDEX entries_event ON entries (event)", "ANALYZE")
	for name, do := range map[string]func() error{
		"week": func() error {
			_, err := s.Days(b.Context(), time.Date(2025, 12, 20, 0, 0, 0, 0, time.Local), 7)
			return err
		},
		"last": func() error {
			_, err := s.Entries(b.Context(), entry.Filter{ByTime: true, Kind: viewing.KindViewing, Counted: true, Limit: 5})
			return err
		},
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
