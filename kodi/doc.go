// Package kodi turns changes of a Kodi library into viewings.
//
// Kodi keeps no history. For each file it stores a play count and the last time, in local time without a zone. So an
// [Importer] compares each snapshot of the library with the state after the last one, and commits the resulting viewings
// together with the new state to a [Sink] in one transaction. It never writes to Kodi's files, and never sends an
// "unwatched".
//
//	Kodi writes --fsnotify, or a poll each minute--> Run --> runPass
//	  runPass:  folder.Read         one snapshot, of a file or of MariaDB (package library)
//	            Listener.Await      waits for Kodi's announcements (package announce)
//	            rule.Decide         which changes are viewings, and of which class
//	            Sink.Commit         viewings, amendments and state at once
//	            addTagged           tagged items, for the watchlist and lists
//
// The first read of a library submits nothing. Each viewing of class live, marked or catch-up was played or marked by a
// person, once. Everything else that looks like a viewing is submitted as held, with a reason code. If a library cannot be
// read, or reading it panics, the state stays as it was and the importer continues.
//
// # Libraries
//
// [Options].Userdata is one of Kodi's userdata folders, which need not exist yet. Its library is a file in it or a database
// on a server. The settings in the folder say which, and may change at runtime. A file is read after three seconds without
// a write, or ten seconds after the first write. A server sends no events: its checksum is polled once a minute, and the
// library is read if it changed. If several folders lead to one library, [Access] assigns it to one of them.
//
// # Other evidence
//
// The library does not tell a playback from a write by an add-on. Kodi's announcements do, if Kodi runs on this machine.
// Some add-ons write playbacks of other devices into the library: if one is installed, only announced playbacks are sent.
// Others report to the same service: if one is installed, all viewings are held. [Status] names them.
//
// Kodi's time zone is the configured one, else that of Kodi's settings, else this machine's.
//
// # The import
//
// [Importer.Import] submits viewings from before the first read, and [Importer.Preview] shows them. Each chunk is
// committed together with the state of its files, so an import can be interrupted at any time and started again.
// [NewNFO] imports NFO files in the same way.
//
// # Where to read on
//
// watch.go has the loop and importer.go its body; rule/doc.go has the table that decides what is a viewing; library/doc.go
// says how a library is read, and announce/doc.go what Kodi announces.
package kodi
