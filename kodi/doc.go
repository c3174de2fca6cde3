// Package kodi turns changes of a Kodi library into viewings.
//
// It owns the loop: wait for a change, read the library, let package rule judge, commit.
// Kodi keeps no history. For each file it keeps a play count and the last time, in local time without a zone.
// So two readings are compared. What was known is kept in our own database, in the same transaction as the viewings.
//
// It promises:
//
//   - First contact with a library hands over nothing.
//   - What it hands over as live or caught up was played, or marked as watched by a person, once.
//   - Everything else that looks like a viewing is handed over as held, with a sentence that says why.
//   - It never writes to Kodi's files.
//   - A library that cannot be read now changes nothing that is known.
//
// It refuses to send an "unwatched", to guess identifiers or times, and to import the past unless it is asked to.
// Package rule says what a viewing is. Package queue says what becomes of one.
//
// # Libraries
//
// A [Folder] is one of Kodi's userdata folders. Its library is a file in it, or lies on a server.
// The folder's settings say which, and they may change while this program runs.
// A file is read when its folder has rested for half a second, or after five seconds at the latest.
//
// A library on a MySQL or MariaDB server sends no events. It is asked once a minute for a mark of its files and items.
// It is read when the mark has changed, and every hour. So a viewing is found up to 75 seconds later.
// Several Kodis may write to it. A playback by one in another zone is held.
// Where several folders lead to one library, one of them is imported ([Access]).
//
// # Add-ons
//
// The library does not tell a playback from what an add-on writes. Kodi's announcements do (package announce).
// They are heard where Kodi runs on this machine. They alone make no viewing.
// Some add-ons write what was watched elsewhere: Jellyfin, Emby, Plex, Trakt, SIMKL, WatchedList.
// Where one is installed, only what was announced as played is sent. The rest is held.
// Others report to the same service. Where one is installed, every viewing is held for review. [Status] names it.
//
// # The import
//
// [Importer.Import] hands over what was watched before first contact.
// [Importer.Preview] shows beforehand what that would be.
// An import goes on in chunks. Each is committed together with what is known of its files.
// So it can be cut at any moment, and begun again without repeating anything.
//
// # The watchlist and lists
//
// Films and series that have one of the tags of [Options] are put on the watchlist or on the list of that tag.
// Tags on a server are read when its files change, and every hour.
package kodi
