// Package kodi turns changes of a Kodi library into viewings.
//
// It owns the rule of what a viewing is. Kodi keeps no history: of each file
// it keeps a play count and the last time, in local time without a zone. So
// two readings of the library are compared, and what grew between them is
// ruled on. What was known is kept in our own database, in the same
// transaction as the viewings that follow from it.
//
// It promises that first contact with a library hands over nothing; that what
// it hands over as live or caught up was played or marked as watched by a
// person, once; and that everything else that looks like a viewing is handed
// over as held, with one sentence that says why. It never writes to Kodi's
// files, and a library that cannot be read now changes nothing that is known.
//
// It refuses to import what was watched before first contact unless it is
// asked to, to send an "unwatched", and to guess identifiers or times.
//
// # The rule
//
// A viewing is a file of the library whose play count grew and whose time
// moved. A moved time alone is a playback that did not reach its end. A path
// that is new to us brings its count along as the baseline, unless its time
// lies after the last good reading; midnight is a date from an NFO file and
// stays baseline. A file with several episodes is one viewing of all of them;
// extras are none.
//
// An NFO that has a count but no date gives the file the time at which Kodi
// read it, at a scan or a refresh, as if it had been played just then. Kodi
// reads an NFO only when it inserts an item. So a growth is held when the
// item is new, was missing at the last reading, or has another id or other
// rows of identifiers than before: as backdated when a new file had less than
// half its running time to be played in, else for review. A file without an
// item was not scanned but played from Files; it is no such case.
//
// Each viewing has a class. What becomes of it is the queue's to decide; here
// stands what it does when the user has said nothing (kodi.classes):
//
//   - live: the count grew by one, the last good reading is under two minutes
//     old, and the library was written within ten seconds of the time, whatever
//     was seen before. It is sent.
//   - catch-up: the time lies between two good readings, however far apart.
//     Kodi keeps only the last time, so several plays count as one. It is sent.
//   - bulk: different items grew within two seconds of each other, or in a
//     chain of such steps; or one grew while the times of two others moved; or
//     three grew at once without a time. At most one of them was played. It is
//     held.
//   - backdated: a time before the last good reading, or long before it was
//     written; a date without a time; or a new file that came with its count:
//     an import. It is held.
//   - review: a time that makes no sense, such as one that did not move, lies
//     in the future or is not later than one seen before; a count that grew by
//     more than one at once; a count that fell while its time moved on; a count
//     that may come from an NFO; one with a time that is this minute only in
//     another zone; a file of several episodes that grew from none to their
//     number, as marking the whole show leaves it. It is held.
//
// The first item of a bulk may be read before the second is written. So live
// and catch-up viewings wait five seconds before they leave. What turns out to
// be the beginning of a bulk is amended, and held.
//
// The library does not tell a playback from what an add-on writes. Where an
// add-on is installed that writes what was watched elsewhere (Jellyfin, Emby,
// Plex, Trakt, WatchedList), or one that reports to the same service, every live
// and caught-up viewing is held for review. [Status] names the add-on.
//
// Some are marked as unsure, and are never sent by themselves, whatever the user
// has said of their class: a count without a time, with the time of another play
// or of a machine whose clock was not set; one that was taken back and set again;
// the plays before the last; what an export tells that another source has told.
//
// One sitting is one viewing: half the running time (20 minutes of a film, 10
// of an episode when it is not known) must lie between two ends of one item
// of one file, and between a count that was taken back and set again. Between
// ends of two copies of an item lies the whole running time, and five seconds
// to begin the other. Otherwise the later one is handed over as a further
// sighting of the first.
//
// A count that stays taken back for that long withdraws its viewing, if it has
// not left yet. Until that is decided the viewing does not leave, for a day at
// most.
//
// A file that is played before it is in the library is handed over by its
// path and follows its identity when the library gives it one within 30 days.
// So does a viewing whose item Kodi later calls by another name. Where the old
// name was sent already, a person is asked. A growth under the new name then
// stands for itself.
//
// When more than half of what was watched (and at least ten files) vanishes,
// or Kodi's file is replaced by another, counts that fell are frozen: their
// coming back is no viewing. That ends when half is back, after a day without
// change, or by [Importer.Accept].
//
// # The table
//
// What two readings of a file show, the first line that fits. "Now" is this
// minute by the clock that is expected, written within ten seconds, with a good
// reading less than two minutes ago. "Between" is between the last good reading
// and this one. "Known" is a time seen with it before:
//
//	count        time                    besides                      what it is
//	new path     none, midnight, before                               baseline, no viewing
//	new path     between, now            as below                     as a growth from 0
//	the same     moved                                                a playback that did not end
//	fell         any                     most counts fell at once     frozen: no viewing, nor is its return
//	fell         moved, still 1 or more                               review
//	fell         any                     stays so                     withdraws what has not left
//	grew         no time, or unmoved                                  review, unsure
//	grew by one  now                     the item was inserted anew   review; backdated for a new file
//	grew by one  now                                                  live
//	grew by more now                     the item was inserted anew   backdated
//	grew by more now                                                  review
//	grew         now, of another zone    nothing tells Kodi's zone    review, unsure
//	grew         midnight, later                                      backdated, noon of that day
//	grew         between                 time known                   review, unsure
//	grew         between, two minutes    the item was inserted anew   review; backdated for a new file
//	grew         between, two minutes                                 catch-up, one viewing
//	grew         before, not known                                    backdated
//	grew         future, known, earlier                               review
//	live, catch-up  within 2 s of another item's                      bulk
//	no time, or unmoved, of three items at once                       bulk, unsure
//	live, catch-up  all of a file of several episodes, from none      review
//	live, catch-up  where an add-on syncs                             review
//	live, catch-up  within half a running time of the same file       a further sighting
//	live, catch-up  within a running time of another copy             a further sighting
//
// What the queue does with each class is above; what it does when another
// source saw the same playback stands in package queue.
//
// # The clock
//
// A time is read in the zone that is configured, else in that of Kodi's own
// settings (locale.timezone in guisettings.xml), else in this machine's. What is
// found in the library never changes that, for any program can write a time
// there. Where only this machine's zone is known, a time that is this minute in
// another one is held and says so.
//
// Kodi writes a playback within two seconds of its end. So a time is compared
// with the time at which the library's file was written. Ten seconds are
// allowed: a reading gathers what is written for up to five seconds, and times
// are cut to whole seconds. After a start, on drives that send no events and on
// a server that time is not known. There a minute before the last good reading
// is allowed. Readings that failed are allowed for as well.
//
// When three viewings in a row are held because their times are equally far
// from the moment at which they were written, [Status] says that Kodi's clock
// seems to be wrong.
//
// In the hour that clocks repeat, the reading that fits between the two
// readings of the library counts; in the hour that they leave out, the offset
// from before. A date without a time stands as noon of that day, and is not in
// the future on that day.
//
// # The import
//
// What was watched before first contact is handed over when a person asks for
// it, by [Importer.Import]; [Importer.Preview] tells before what that would be.
// Of each file that is the last play alone, since Kodi keeps the time of no
// other, with the time that came with the count: one that moved without it,
// while we watched, was of a playback that did not reach its end. Left out is
//
//   - what was handed over before: of a file that has grown since first contact
//     the last play was;
//   - what the queue has heard of in any other way, and what the service has, if
//     that can be asked: the same item within half the running time, or on the
//     same day where only the day is known;
//   - the same play of another copy of the item, or of a renamed folder;
//   - what ended before the date that was asked for.
//
// Items that have their times within two seconds of each other are bulk here
// too. A count without a time, or with one that makes no sense, is held as
// backdated, and so are, only when they are asked for, the plays before the
// last: nobody knows when they ended.
//
// It goes on in chunks, each committed together with what is known of its
// files, so that it can be cut at any moment, and begun again without repeating
// anything.
//
// # Exported files
//
// NFO files and videodb.xml ([NewExported]) are read by the same rule, a
// reading of them standing for one of the library. Kodi writes them only when
// the user exports, and of a time only the date, so what an export adds is
// held as backdated, as noon of its day: the library itself, when it is watched
// too, has told of it at its true time. Times that other programs write are
// believed as Kodi's are, in the zone that is configured or shown live, or with
// the offset that they name; but an item that another source has told of within
// three hours (an episode: one hour) is held for review, since media servers
// write NFO files for the same playback; the queue merges what is near enough. A file that is new with its count is
// baseline, as a path that is new is. What stands in a broken file has no
// identifier, and gets one when the file is whole; until then nobody concludes
// one from its title either.
//
// # Beside viewings
//
// Where it is turned on ([Wishes]), films and series with a tag are wished for
// the watchlist, and a list is made for each movie set and for each M3U
// playlist that holds a film of the library. What there is when it is turned
// on is handed over at once; more than ten wishes in one reading leave behind
// everything live. Each is handed over once for good, by its identifier or,
// without one, by its path, and films go on their lists the same way: a tag
// that is taken away, a film that leaves its set, a playlist that is deleted
// change nothing. A set or a playlist with
// another name is another one. An item without an identifier follows its
// file's identity; one that Kodi now calls by another name is wished for anew,
// and the old wish is withdrawn if it has not left.
//
// Smart playlists are rules of Kodi's and are not evaluated. Tags and sets of a
// library on a server are read when its files change, and every hour.
//
// # A library on a server
//
// A library that advancedsettings.xml keeps on a MySQL or MariaDB server sends
// no events. It is asked once a minute for a mark of its files and items, which
// costs the server one pass over the files, and is read when the mark has
// changed, and every hour. The rule is the same; a viewing is found up to 75
// seconds later. Several Kodis may write to it. A playback by one in another
// zone is held. Of several folders that lead to one
// library one is imported.
//
// # What is missed
//
// Two viewings can be false. An import takes the time of a file for the end of
// its last play; if a later playback before first contact did not reach its
// end, it is the time of that.
//
// The other is seen as it happens. When the item of the highest id is refreshed, and
// its identifiers, if any, are the last ones too, Kodi uses the same numbers
// again: a count without a date in its NFO then reads as a playback that has
// just ended, or as one caught up. That is mostly the item that was added
// last. The remedy is to take the count out of the NFO, or to give it a date,
// before the refresh; to drop the viewing while it waits; or to delete it at
// the service.
//
// Kodi does not tell, so nobody can know of:
//
//   - an episode of a file with two that was stopped half way: Kodi counts
//     the file, or nothing;
//   - a playback that was ended by killing Kodi: it writes nothing;
//   - all but the last of several playbacks of one file while this program
//     was off; and when the last of them did not reach its end, or a remote
//     has raised the count besides, its time stands for the others;
//   - a count that was taken back and a playback after it, both while this
//     program was off: it looks like a playback that did not reach its end;
//   - a playback and, before the next reading, a refresh or a scan of the same
//     file: Kodi forgets the count, or takes the one of the NFO;
//   - what was watched, lost by restoring the library from a backup, and then
//     marked again: it looks like a new viewing;
//   - a new file that was played, and scanned, by a clock that shows an earlier
//     time than the last reading, or at midnight sharp: it is baseline;
//   - what was played after many counts had fallen at once, and read later than
//     two minutes after that, if Kodi's clock shows an earlier time than before:
//     it is taken for the old count coming back;
//   - playbacks shorter than Kodi counts: it counts from 90 percent on, or
//     from what playcountminimumpercent in advancedsettings.xml says, which
//     [Status] shows when it is another.
package kodi
