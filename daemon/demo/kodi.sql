-- What Filmspool reads of a library that a real Kodi 20.1 made: eight films and two series, just scanned.
CREATE TABLE version (idVersion integer, iCompressCount integer);
CREATE TABLE path ( idPath integer primary key, strPath text, strContent text, strScraper text, strHash text, scanRecursive integer, useFolderNames bool, strSettings text, noUpdate bool, exclude bool, allAudio bool, dateAdded text, idParentPath integer);
CREATE TABLE files ( idFile integer primary key, idPath integer, strFilename text, playCount integer, lastPlayed text, dateAdded text);
CREATE TABLE movie ( idMovie integer primary key, idFile integer,c00 text,c01 text,c02 text,c03 text,c04 text,c05 text,c06 text,c07 text,c08 text,c09 text,c10 text,c11 text,c12 text,c13 text,c14 text,c15 text,c16 text,c17 text,c18 text,c19 text,c20 text,c21 text,c22 text,c23 text, idSet integer, userrating integer, premiered text);
CREATE TABLE tvshow ( idShow integer primary key,c00 text,c01 text,c02 text,c03 text,c04 text,c05 text,c06 text,c07 text,c08 text,c09 text,c10 text,c11 text,c12 text,c13 text,c14 text,c15 text,c16 text,c17 text,c18 text,c19 text,c20 text,c21 text,c22 text,c23 text, userrating integer, duration INTEGER);
CREATE TABLE tvshowlinkpath (idShow integer, idPath integer);
CREATE TABLE seasons ( idSeason integer primary key, idShow integer, season integer, name text, userrating integer);
CREATE TABLE episode ( idEpisode integer primary key, idFile integer,c00 text,c01 text,c02 text,c03 text,c04 text,c05 text,c06 text,c07 text,c08 text,c09 text,c10 text,c11 text,c12 varchar(24),c13 varchar(24),c14 text,c15 text,c16 text,c17 varchar(24),c18 text,c19 text,c20 text,c21 text,c22 text,c23 text, idShow integer, userrating integer, idSeason integer);
CREATE TABLE uniqueid (uniqueid_id INTEGER PRIMARY KEY, media_id INTEGER, media_type TEXT, value TEXT, type TEXT);
CREATE TABLE streamdetails (idFile integer, iStreamType integer, strVideoCodec text, fVideoAspect float, iVideoWidth integer, iVideoHeight integer, strAudioCodec text, iAudioChannels integer, strAudioLanguage text, strSubtitleLanguage text, iVideoDuration integer, strStereoMode text, strVideoLanguage text, strHdrType text);
CREATE TABLE genre ( genre_id integer primary key, name TEXT);
CREATE TABLE genre_link (genre_id integer, media_id integer, media_type TEXT);
CREATE TABLE tag (tag_id integer primary key, name TEXT);
CREATE TABLE tag_link (tag_id integer, media_id integer, media_type TEXT);
insert into version (idVersion, iCompressCount) values
  (121, 1);
insert into path (idPath, strPath, strContent, strScraper, strHash, scanRecursive, useFolderNames, strSettings, noUpdate, exclude, allAudio, dateAdded, idParentPath) values
  (1, '/srv/videos/movies/', 'movies', 'metadata.local', '', 2147483647, 0, '<settings version="2"></settings>', 0, 0, 0, null, null),
  (2, '/srv/videos/tv/', 'tvshows', 'metadata.local', '', 0, 0, '<settings version="2"></settings>', 0, 0, 0, null, null),
  (3, '/srv/videos/movies/Alpha One (1999)/', null, null, '68b674aa892c2c1f501c2e0db3e3397d', null, null, null, null, null, null, null, 1),
  (4, '/srv/videos/movies/Alpha Two (2003)/', null, null, '7a7ca360d647d62fb76b780302b35041', null, null, null, null, null, null, null, 1),
  (5, '/srv/videos/movies/Beta (2010)/', null, null, '7a7ca360d647d62fb76b780302b35041', null, null, null, null, null, null, null, 1),
  (6, '/srv/videos/movies/Beta (2010) - copy/', null, null, '6bd5734b1fcd9e73b58a93da39e257f5', null, null, null, null, null, null, null, 1),
  (7, '/srv/videos/movies/Delta (1994)/', null, null, '0ad1dfbe651525aeff1d19549435dd63', null, null, null, null, null, null, null, 1),
  (8, '/srv/videos/movies/Epsilon (1972)/', null, null, '7478602d9bbb684d3c7a66ecaa8a9b6c', null, null, null, null, null, null, null, 1),
  (9, '/srv/videos/movies/Gamma (2014)/', null, null, '0ad1dfbe651525aeff1d19549435dd63', null, null, null, null, null, null, null, 1),
  (10, '/srv/videos/movies/Zeta (2021)/', null, null, '6bd5734b1fcd9e73b58a93da39e257f5', null, null, null, null, null, null, null, 1),
  (11, '/srv/videos/tv/Show Blue/', null, null, 'f5be916f71c945ef24f2778721078d09', null, null, null, null, null, null, '2026-11-21 00:36:00', 2),
  (12, '/srv/videos/tv/Show Blue/Season 01/', null, null, null, null, null, null, null, null, null, null, 11),
  (13, '/srv/videos/tv/Show Red/', null, null, '1ce755eb427a2d020306d5264e1717c9', null, null, null, null, null, null, '2026-11-21 00:35:57', 2),
  (14, '/srv/videos/tv/Show Red/Season 00/', null, null, null, null, null, null, null, null, null, null, 13),
  (15, '/srv/videos/tv/Show Red/Season 01/', null, null, null, null, null, null, null, null, null, null, 13);
insert into files (idFile, idPath, strFilename, playCount, lastPlayed, dateAdded) values
  (1, 3, 'Alpha One (1999).mkv', null, null, '2026-11-21 00:35:53'),
  (2, 4, 'Alpha Two (2003).mkv', null, null, '2026-11-21 00:35:54'),
  (3, 5, 'Beta (2010).mkv', null, null, '2026-11-21 00:35:54'),
  (4, 6, 'Beta (2010) - copy.mkv', null, null, '2026-11-21 00:35:57'),
  (5, 7, 'Delta (1994).mkv', null, null, '2026-11-21 00:35:55'),
  (6, 8, 'Epsilon (1972).mkv', 3, '2019-02-03 00:00:00', '2026-11-21 00:35:56'),
  (7, 9, 'Gamma (2014).mkv', null, null, '2026-11-21 00:35:55'),
  (8, 10, 'Zeta (2021).mkv', null, null, '2026-11-21 00:35:57'),
  (9, 12, 'Show Blue S01E01.mkv', null, null, '2026-11-21 00:36:01'),
  (10, 12, 'Show Blue S01E02.mkv', null, null, '2026-11-21 00:36:01'),
  (11, 14, 'Show Red S00E01.mkv', null, null, '2026-11-21 00:35:57'),
  (12, 15, 'Show Red S01E01.mkv', null, null, '2026-11-21 00:35:58'),
  (13, 15, 'Show Red S01E02.mkv', null, null, '2026-11-21 00:35:58'),
  (14, 15, 'Show Red S01E03.mkv', null, null, '2026-11-21 00:35:59'),
  (15, 15, 'Show Red S01E04E05.mkv', null, null, '2026-11-21 00:36:00');
insert into movie (idMovie, idFile, c00, c01, c05, c09, c11, c13, c22, c23, idSet, premiered) values
  (1, 1, 'Alpha One', 'Test film.', '-1', '2', '0', '0', '/srv/videos/movies/Alpha One (1999)/Alpha One (1999).mkv', '3', 1, '1999-06-01'),
  (2, 2, 'Alpha Two', 'Test film.', '-1', '4', '0', '0', '/srv/videos/movies/Alpha Two (2003)/Alpha Two (2003).mkv', '4', 1, '2003-06-01'),
  (3, 3, 'Beta', 'Test film.', '-1', '6', '0', '0', '/srv/videos/movies/Beta (2010)/Beta (2010).mkv', '5', null, '2010-06-01'),
  (4, 4, 'Beta', 'Test film.', '-1', '8', '0', '0', '/srv/videos/movies/Beta (2010) - copy/Beta (2010) - copy.mkv', '6', null, '2010-06-01'),
  (5, 5, 'Delta', '', '-1', '9', '0', '0', '/srv/videos/movies/Delta (1994)/Delta (1994).mkv', '7', null, '1994'),
  (6, 6, 'Epsilon', '', '-1', '10', '0', '0', '/srv/videos/movies/Epsilon (1972)/Epsilon (1972).mkv', '8', null, '1972'),
  (7, 7, 'Gamma', 'Test film.', '-1', '12', '0', '0', '/srv/videos/movies/Gamma (2014)/Gamma (2014).mkv', '9', null, '2014-06-01'),
  (8, 8, 'Zeta', '', '-1', '-1', '0', '0', '/srv/videos/movies/Zeta (2021)/Zeta (2021).mkv', '10', null, '2021');
insert into tvshow (idShow, c00, c04, c05, c12) values
  (1, 'Show Blue', '-1', '1970-01-01', '13'),
  (2, 'Show Red', '-1', '2008-01-01', '16');
insert into tvshowlinkpath (idShow, idPath) values
  (1, 11),
  (2, 13);
insert into seasons (idSeason, idShow, season) values
  (1, 1, -1),
  (2, 1, 0),
  (3, 1, 1),
  (4, 2, -1),
  (5, 2, 0),
  (6, 2, 1);
insert into episode (idEpisode, idFile, c00, c03, c05, c09, c12, c13, c15, c16, c17, c18, c19, c20, idShow, idSeason) values
  (1, 9, 'B1', '-1', '1970-01-01', '0', '1', '1', '-1', '-1', '-1', '/srv/videos/tv/Show Blue/Season 01/Show Blue S01E01.mkv', '12', '-1', 1, 3),
  (2, 10, 'B2', '-1', '1970-01-01', '0', '1', '2', '-1', '-1', '-1', '/srv/videos/tv/Show Blue/Season 01/Show Blue S01E02.mkv', '12', '-1', 1, 3),
  (3, 11, 'Special', '-1', '2008-01-21', '0', '0', '1', '-1', '-1', '-1', '/srv/videos/tv/Show Red/Season 00/Show Red S00E01.mkv', '14', '18', 2, 5),
  (4, 12, 'Pilot', '-1', '2008-01-21', '0', '1', '1', '-1', '-1', '-1', '/srv/videos/tv/Show Red/Season 01/Show Red S01E01.mkv', '15', '20', 2, 6),
  (5, 13, 'Second', '-1', '2008-01-22', '0', '1', '2', '-1', '-1', '-1', '/srv/videos/tv/Show Red/Season 01/Show Red S01E02.mkv', '15', '22', 2, 6),
  (6, 14, 'Third', '-1', '2008-01-23', '0', '1', '3', '-1', '-1', '-1', '/srv/videos/tv/Show Red/Season 01/Show Red S01E03.mkv', '15', '24', 2, 6),
  (7, 15, 'Fourth', '-1', '1970-01-01', '0', '1', '4', '-1', '-1', '-1', '/srv/videos/tv/Show Red/Season 01/Show Red S01E04E05.mkv', '15', '25', 2, 6),
  (8, 15, 'Fifth', '-1', '1970-01-01', '0', '1', '5', '-1', '-1', '-1', '/srv/videos/tv/Show Red/Season 01/Show Red S01E04E05.mkv', '15', '26', 2, 6);
insert into uniqueid (uniqueid_id, media_id, media_type, value, type) values
  (1, 1, 'movie', 'tt0133093', 'imdb'),
  (2, 1, 'movie', '603', 'tmdb'),
  (3, 2, 'movie', 'tt0234215', 'imdb'),
  (4, 2, 'movie', '604', 'tmdb'),
  (5, 3, 'movie', 'tt1375666', 'imdb'),
  (6, 3, 'movie', '27205', 'tmdb'),
  (7, 4, 'movie', 'tt1375666', 'imdb'),
  (8, 4, 'movie', '27205', 'tmdb'),
  (9, 5, 'movie', 'tt0111161', 'imdb'),
  (10, 6, 'movie', '238', 'tmdb'),
  (11, 7, 'movie', 'tt0816692', 'imdb'),
  (12, 7, 'movie', '157336', 'tmdb'),
  (13, 1, 'tvshow', '121361', 'tvdb'),
  (14, 2, 'tvshow', 'tt0903747', 'imdb'),
  (15, 2, 'tvshow', '1396', 'tmdb'),
  (16, 2, 'tvshow', '81189', 'tvdb'),
  (17, 3, 'episode', '61897', 'tmdb'),
  (18, 3, 'episode', '349233', 'tvdb'),
  (19, 4, 'episode', '62085', 'tmdb'),
  (20, 4, 'episode', '349333', 'tvdb'),
  (21, 5, 'episode', '62086', 'tmdb'),
  (22, 5, 'episode', '349334', 'tvdb'),
  (23, 6, 'episode', '62087', 'tmdb'),
  (24, 6, 'episode', '349335', 'tvdb'),
  (25, 7, 'episode', '62088', 'tmdb'),
  (26, 8, 'episode', '62089', 'tmdb');
insert into streamdetails (idFile, iStreamType, strVideoCodec, fVideoAspect, iVideoWidth, iVideoHeight, strAudioCodec, iAudioChannels, iVideoDuration) values
  (1, 0, 'mpeg4', 1.777778, 160, 90, null, null, 240),
  (1, 1, null, null, null, null, 'aac', 1, null),
  (2, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (2, 1, null, null, null, null, 'aac', 1, null),
  (3, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (3, 1, null, null, null, null, 'aac', 1, null),
  (4, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (4, 1, null, null, null, null, 'aac', 1, null),
  (5, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (5, 1, null, null, null, null, 'aac', 1, null),
  (6, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (6, 1, null, null, null, null, 'aac', 1, null),
  (7, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (7, 1, null, null, null, null, 'aac', 1, null),
  (9, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (9, 1, null, null, null, null, 'aac', 1, null),
  (10, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (10, 1, null, null, null, null, 'aac', 1, null),
  (11, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (11, 1, null, null, null, null, 'aac', 1, null),
  (12, 0, 'mpeg4', 1.777778, 160, 90, null, null, 240),
  (12, 1, null, null, null, null, 'aac', 1, null),
  (13, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (13, 1, null, null, null, null, 'aac', 1, null),
  (14, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (14, 1, null, null, null, null, 'aac', 1, null),
  (15, 0, 'mpeg4', 1.777778, 160, 90, null, null, 60),
  (15, 1, null, null, null, null, 'aac', 1, null),
  (8, 0, 'mpeg4', 1.777778, 160, 90, null, null, 20),
  (8, 1, null, null, null, null, 'aac', 1, null);
insert into tag (tag_id, name) values
  (1, 'watchlist'),
  (2, 'favourite');
insert into tag_link (tag_id, media_id, media_type) values
  (1, 1, 'movie'),
  (1, 3, 'movie'),
  (2, 3, 'movie'),
  (1, 4, 'movie'),
  (2, 4, 'movie');
