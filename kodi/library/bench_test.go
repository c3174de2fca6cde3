package library_test

import (
	"context"
	"testing"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/snapshot"
)

// BenchmarkRead reads a large household's library: 5,000 films and 30,000
// episodes of 300 shows, half of it watched.
func BenchmarkRead(b *testing.B) {
	path := large(b)
	b.ResetTimer()
	for range b.N {
		s, err := library.Read(context.Background(), path, snapshot.Part{})
		if err != nil || len(s.Files) != 35000 {
			b.Fatalf("%d files, %v", len(s.Files), err)
		}
	}
}

// large makes that library, which has about the size of a real one.
func large(b *testing.B) string {
	s := newScene(b, 121)
	s.db.SetMaxOpenConns(1) // the temporary table lives in one connection
	for _, statement := range []string{
		`create index ix_uniqueid1 on uniqueid (media_id, media_type, type)`, // as Kodi has them
		`create index ix_streamdetails on streamdetails (idFile)`,
		`create unique index ix_episode_file_1 on episode (idEpisode, idFile)`,
		`create temp table n as with recursive n(i) as (select 1 union all select i + 1 from n where i < 35000) select i from n`,
		`insert into path (idPath, strPath, idParentPath) select 10 + i, '/media/films/Film number ' || i || ' (1999)/', 1 from n where i <= 5000`,
		`insert into path (idPath, strPath, idParentPath) select 10000 + i, '/media/series/Show number ' || i || '/', 2 from n where i <= 300`,
		`insert into files (idFile, idPath, strFilename, playCount, lastPlayed, dateAdded)
			select i, iif(i <= 5000, 10 + i, 10001 + i % 300), 'A file with a name of some length, number ' || i || '.mkv',
			iif(i % 2, 1, null), iif(i % 2, '2026-03-01 20:05:00', null), '2026-01-01 00:00:00' from n`,
		`insert into streamdetails (idFile, iStreamType, strVideoCodec, iVideoDuration) select i, 0, 'h264', 3000 from n`,
		`insert into streamdetails (idFile, iStreamType, strAudioCodec) select i, 1, 'aac' from n`,
		`insert into movie (idMovie, idFile, c00, c01, c09, c11, premiered) select i, i, 'Film number ' || i, printf('%500s', 'plot'), i * 2, '3000', '1999-06-01' from n where i <= 5000`,
		`insert into tvshow (idShow, c00, c05, c12) select i, 'Show number ' || i, '2008-01-01', 100000 + i from n where i <= 300`,
		`insert into episode (idEpisode, idFile, c00, c01, c09, c12, c13, c20, idShow) select i - 5000, i, 'Part ' || i, printf('%300s', 'plot'), '3000',
			1 + i / 3000, 1 + i % 3000 / 300, i * 2, 1 + i % 300 from n where i > 5000`,
		`insert into uniqueid (uniqueid_id, media_id, media_type, type, value) select i * 2, iif(i <= 5000, i, i - 5000), iif(i <= 5000, 'movie', 'episode'), 'tmdb', 1000 + i from n`,
		`insert into uniqueid (uniqueid_id, media_id, media_type, type, value) select 200000 + i, iif(i <= 5000, i, i - 5000), iif(i <= 5000, 'movie', 'episode'), 'imdb', 'tt' || (1000000 + i) from n`,
		`insert into uniqueid (uniqueid_id, media_id, media_type, type, value) select 100000 + i, i, 'tvshow', 'tmdb', i from n where i <= 300`,
	} {
		s.exec(statement)
	}
	return s.Path()
}
