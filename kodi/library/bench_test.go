package library_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/rule"
)

// newLargeLibrary returns a library of 5,000 films and 30,000 episodes, a third of them watched.
func newLargeLibrary(t testing.TB) testLibrary {
	t.Helper()
	s := newTestLibrary(t, 131)
	for _, query := range []string{
		`create table n as with recursive n(i) as (select 1 union all select i + 1 from n where i < 35000) select i from n`,
		`insert into path (idPath, strPath) select i + 10, '/media/films/A film with a title ' || i || ' (1999)/' from n where i <= 5000`,
		`insert into path (idPath, strPath) select i + 10, '/media/series/A series ' || (i / 100) || '/Season ' || (i / 10 % 10) || '/' from n where i > 5000 and i % 10 = 0`,
		`insert into files (idFile, idPath, strFilename, playCount, lastPlayed, dateAdded)
			select i, i + 10, 'A film with a title ' || i || ' (1999).mkv', nullif(i % 3 = 0, 0), iif(i % 3 = 0, '2024-03-01 20:05:00', null), '2020-01-01 00:00:00' from n where i <= 5000`,
		`insert into files (idFile, idPath, strFilename, playCount, lastPlayed, dateAdded)
			select i, i / 10 * 10 + 10, 'A series ' || (i / 100) || ' S' || (i / 10 % 10) || 'E' || (i % 10) || '.mkv', nullif(i % 3 = 0, 0), iif(i % 3 = 0, '2024-03-01 20:05:00', null), '2020-01-01 00:00:00' from n where i > 5000`,
		`insert into movie (idMovie, idFile, c00, c01, c09, premiered) select i, i, 'A film with a title ' || i, hex(zeroblob(300)), i, '1999' from n where i <= 5000`,
		`insert into videoversion select idFile, idMovie, 'movie', 0, 40400 from movie`,
		`insert into tvshow (idShow, c00, c05, c12) select distinct i / 100, 'A series ' || (i / 100), '2008-01-01', 40000 + i / 100 from n where i > 5000`,
		`insert into episode (idEpisode, idFile, idShow, c00, c01, c12, c13, c20) select i, i, i / 100, 'An episode ' || i, hex(zeroblob(150)), i / 10 % 10, i % 10 + 1, i from n where i > 5000`,
		`insert into uniqueid (uniqueid_id, media_id, media_type, type, value) select i, i, iif(i <= 5000, 'movie', 'episode'), 'tmdb', 100000 + i from n`,
		`insert into uniqueid (uniqueid_id, media_id, media_type, type, value) select 40000 + idShow, idShow, 'tvshow', 'tmdb', 5000 + idShow from tvshow`,
		`insert into streamdetails (idFile, iStreamType, iVideoDuration) select i, 0, 2400 from n`,
		`drop table n`,
	} {
		s.exec(query)
	}
	return s
}

// BenchmarkLarge measures the read and the decision for one playback in a large library.
func BenchmarkLarge(b *testing.B) {
	s := newLargeLibrary(b)
	zone := rule.Environment{Zone: time.UTC}
	known := rule.NewMemory("x")
	now := time.Now()
	snap, err := at(s.Path).Read(b.Context(), func(f library.File) bool { return known.NeedsDetails(f, now) })
	ok(b, err)
	known.Apply(rule.Decide(known, snap, now, zone))
	s.exec(`update files set playCount = 1, lastPlayed = ? where idFile = 1`, now.UTC().Format(time.DateTime))
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			snap, err = at(s.Path).Read(b.Context(), func(f library.File) bool { return known.NeedsDetails(f, now) })
			ok(b, err)
		}
	})
	// The longest time that a continuously writing Kodi waits for the lock.
	b.Run("lock", func(b *testing.B) {
		done, longest := make(chan bool), make(chan time.Duration)
		s.db.SetMaxOpenConns(1)
		s.exec(`pragma busy_timeout = 10000`)
		go func() {
			var most time.Duration
			for {
				select {
				case <-done:
					longest <- most
					return
				default:
				}
				began := time.Now()
				s.exec(`begin exclusive`)
				most = max(most, time.Since(began))
				s.exec(`rollback`)
			}
		}()
		for b.Loop() {
			_, err := at(s.Path).Read(b.Context(), nil)
			ok(b, err)
		}
		close(done)
		b.ReportMetric(float64((<-longest).Milliseconds()), "ms-locked")
	})
	b.Run("decide", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v := rule.Decide(known, snap, now, zone); len(v.Viewings) != 1 {
				b.Fatal(fmt.Sprint(v.Viewings))
			}
		}
	})
}
