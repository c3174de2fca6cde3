// Package kodisim makes Kodi video libraries and changes them as Kodi does.
//
// It owns the acts that a Kodi performs on MyVideosNNN.db: a scan, a playback,
// a mark, a refresh, an upgrade. Each act touches the same rows as a real Kodi
// 20.1, in the same transactions. It makes libraries ([Create]) and opens files of
// schema 121 and 131 ([Open]).
//
// It promises to hold the file as Kodi does: rollback journal, synchronous
// NORMAL, BEGIN IMMEDIATE, and patience with readers.
//
// It refuses to be a Kodi: there are no pictures, no players, no scrapers, and
// no views or triggers in the files it makes. It is for
// tests; pointed at a library that is in use it would change it.
//
// Times are given as [time.Time] and written as that zone's wall clock, as
// Kodi writes its own.
package kodisim
