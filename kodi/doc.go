// Package kodi turns changes of a Kodi library into viewings.
//
// Kodi keeps no history. For each file it keeps a play count and the last time, in local time without a zone. So an
// [Importer] compares each reading of the library with what it knew before, and hands what follows to a [Sink] in one
// transaction with what it knows then. It never writes to Kodi's files, and never sends an "unwatched".
//
//	Kodi writes --fsnotify, or a poll each minute--> Run --> pass
//	  pass:  folder.Read       one reading, of a file or of MariaDB (package library)
//	         Listener.Await    what Kodi has announced of it (package announce)
//	         rule.Decide       which changes are viewings, and of which class
//	         Sink.Commit       viewings, corrections and memory at once
//	         addTagged         tags, for the watchlist and lists
//
// What it promises: first contact with a library hands over nothing. What it hands over as live, marked or caught up was
// played or marked by a person, once. All else that looks like a viewing is handed over as held, with a code that says
// why. A library that cannot be read, or makes the program panic, changes nothing that is known and ends nothing.
//
// # Libraries
//
// [Options].Userdata is one of Kodi's userdata folders, which need not exist yet. Its library is a file in it, or lies on
// a server; the settings in the folder say which, and may change while this program runs. A file is read when it has
// rested for three seconds, or ten seconds after the first change. A server sends no events: it is asked once a minute
// for a mark, and read when that has changed. Where several folders lead to one library, [Access] gives it to one.
//
// # What is known beside the library
//
// The library does not tell a playback from what an add-on writes. Kodi's announcements do, where Kodi runs on this
// machine. Some add-ons write what was watched elsewhere: where one is installed, only what was announced as played is
// sent. Others report to the same service: where one is installed, all is held. [Status] names them.
//
// Kodi's zone is the configured one, else that of Kodi's settings, else this machine's.
//
// # The import
//
// [Importer.Import] hands over what was watched before first contact, and [Importer.Preview] shows what that would be.
// It goes on in chunks, each committed together with what is known of its files, so it can be cut at any moment and
// begun again. [NewNFO] imports NFO files in the same way.
//
// # Where to read on
//
// importer.go has the loop's body and watch.go the loop; rule/doc.go has the table of what is a viewing; library/doc.go
// says how a library is read, and announce/doc.go what Kodi announces.
package kodi
