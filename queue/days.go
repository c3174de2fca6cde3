package queue

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
)

// selectDays reads along the index entries_happened, from one beginning of a day to
// the next. Parts of an event are far fewer than 65,536.
const selectDays = `WITH b (day, since, till) AS MATERIALIZED (SELECT key, value, ?1 ->> (key + 1) FROM json_each(?1))
	SELECT b.day, v.source_kind, count(DISTINCT n.event * 65536 + n.part)
	FROM b CROSS JOIN entries AS n CROSS JOIN events AS v
	WHERE n.happened_at >= b.since AND n.happened_at < b.till AND v.id = n.event
		AND n.kind = 'viewing' AND n.state NOT IN ('merged', 'dropped')
	GROUP BY b.day, v.source_kind`

// Days tells what was watched on the last n days, the oldest first; today is the last.
// n is 1 to [entry.MaxDays].
func (s *Store) Days(ctx context.Context, n int) ([]entry.Day, error) {
	y, m, d := s.now().Local().Date()
	days, begins := make([]entry.Day, n), make([]int64, n+1)
	for i := range begins {
		at := time.Date(y, m, d-n+1+i, 0, 0, 0, 0, time.Local)
		begins[i] = at.UnixMilli()
		if i < n {
			days[i] = entry.Day{Day: at.Format(time.DateOnly), Viewings: map[string]int64{}}
		}
	}
	_, err := read(ctx, s, "count what was watched by day", func(row *sql.Rows) (struct{}, error) {
		var day int
		var kind string
		var count int64
		err := row.Scan(&day, &kind, &count)
		days[day].Viewings[kind] = count
		return struct{}{}, err
	}, selectDays, jsonArray(begins))
	return days, err
}
