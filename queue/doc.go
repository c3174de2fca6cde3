// Package queue is the outbox: every viewing that a source reported, on disk
// until the service has it or the user drops it.
//
// It owns the SQLite database of the state folder, its schema, the lock of
// that folder, and the life of an entry: pending, sending, then delivered,
// in doubt, rejected, held, dropped or merged.
//
// It promises that what [Store.Commit] has answered survives a crash and a
// power cut; that an event is one event however often it is told; that an
// entry is marked on disk before a byte of it may leave; that entries about
// one item are handed out in the order they happened; and that the counters
// agree with the rows, for both change in one transaction.
//
// It refuses to send, to decide what an answer means, and to look into what
// sources keep here as their own memory.
//
// All writing goes through [Store.Run]: one transaction at a time takes what
// waits and is answered after the disk has it. While nobody else writes, the
// caller's own goroutine does it. Readers have connections of their own and
// see only whole transactions.
//
// # One playback, several sources
//
// A browser and Kodi, two Kodis, Kodi and the NFO files of another program may
// see the same playback. It becomes one request, before or after the first of
// them was sent: when a viewing is committed, and when an entry gets its
// identity late, another time by the user, or is released, it is held against
// the entries of the same account and item. Those are the same playback whose
// ends lie no further apart than the item's running time, as the source that
// says more tells it, but at least 5 minutes; than 40 minutes of a film or 20
// of an episode where none tells it; or, where one knows only the day, that are
// of that day. It is the ends as they were first told that count, not those of
// sightings that were merged since: of a chain the far ends stay apart. The
// nearest is taken.
//
// What one source tells twice happened twice: an entry and what is merged into
// it never have two sightings of one source, and an event of n viewings of an
// item meets n others at most. An event is divided: of a file with two episodes
// one may be merged and the other sent.
//
// What becomes of the two, by where the earlier one stands:
//
//	the earlier one is              the later may leave     the later would be held
//	pending, sending, delivered,    joins the earlier       joins the earlier
//	  in doubt, or the service
//	  had it already
//	pending, only its day known     stays alone             joins the earlier
//	held: bulk, backdated, review,  stays alone             joins the earlier, but stays
//	  future, by a filter                                     alone when the earlier
//	                                                          knows only the day
//	held: by the user, imported,    joins the earlier       joins the earlier
//	  restored, damaged
//	rejected                        stays alone             joins the earlier
//	dropped by the user             joins: their drop       joins
//	                                  means no; what they
//	                                  add by hand later
//	                                  stays alone
//	dropped by a filter or by its   both by themselves      both by themselves
//	  source, or damaged
//	trimmed after a year            by itself               by itself
//
// Where the later one stays alone, the earlier becomes merged, and whoever saw
// that has seen the later one: releasing or retrying it is no more. Where the
// later one joins, it becomes a further sighting and has no entry (or a merged
// one, where other parts of its event have some), and nothing of the earlier
// one changes, its time least of all. Both tell of it in their explanation.
// The source hears "queued", or "dropped" where the user's drop decided.
//
// A filter is about what its source told: who is to say that it means the
// sighting of another, too? What two sources saw is not taken back or renamed
// by one of them alone; that is noted. Imports have rules of their own: what is
// imported is compared before it is handed over (package kodi) and before it is
// sent (package replay), but later sightings are held against it. Neither is
// what stands for plays of which nobody knows the time. An export does not say
// which events joined which.
//
// # The file
//
// Every row of events and entries carries a checksum of what is sent. A row
// that does not match it is never sent: it is held with the reason "damaged".
// A run that met a damaged page ends, and a start that follows an unclean stop
// looks at the whole file, for ten seconds at most; a damaged database is set
// aside as NAME.damaged-TIME, and what can be read of it is saved into a new
// one. Then nothing is sent that may have been sent before: what was under way
// is in doubt, entries whose row was lost are made anew from their events and
// held, and events of which only the name is left are still known.
// [Store.Notices] tells of it until somebody acknowledges.
//
// A start reads the write-ahead log itself when the database is missing or
// empty: SQLite would discard it. A log that leads to everything becomes the
// database again. Of another one, all rows are saved that its pages hold; it
// has everything that was taken since it last began, about 1,000 pages. Pages of
// its earlier rounds help too, but what is pending there is held. What stood in
// the file alone cannot be saved. A log beside a copy that was put in place is
// set aside. NAME-run names the last run: by it a start sees that the database
// or its log is missing, or is older than it was. In an older one, what is
// pending is held, for it may have been sent.
//
// Before each transaction and after each commit it is looked whether the names
// of database, log and index still lead to the open files; every 5 minutes
// also where nothing is written. Where they do not, the open files have everything:
// the database is written anew from them, Run ends, and the next [Open] puts the
// new file in place. If that fails, nothing is acknowledged, and it is tried
// again. A file that was cut loses what stood in the part that was cut off,
// as far as neither log nor memory has it; a notice tells.
//
// The lock of the state folder is the file "lock" and the folder itself, where
// the system can lock one: a deleted file lets nobody else in.
//
// [OpenReading] reads without making, migrating or setting aside anything. On a
// full or read-only disk it puts database and log together in memory.
// [Store.Trouble] tells what keeps the queue from writing, and how many events
// were refused.
//
// A full disk, an I/O error or another's lock refuses what was to be written,
// with [ErrStorage], and undoes it whole; the connection is made anew, for a
// flush that has failed must not be tried again.
//
// What was finished a year ago is forgotten once a day, in small steps; names
// of events stay, and so does what the service rejected. Pages that become free
// are used again; the file does not shrink. An incremental vacuum would make it
// shrink, but keeps a map of all pages, which every commit that takes a new
// page then has to write.
//
// # A copy elsewhere
//
// [Store.Backup] makes a copy while all goes on; a start on such a copy holds
// what was pending in it, for it may have been sent since. A migration is
// preceded by one; the last two are kept. It gets its name when it is whole.
//
// Litestream can copy the file away continuously. It reads the write-ahead log,
// which is grown to 4 MB once and then overwritten: the rest of an older round
// in it has another salt and is passed over. While Litestream runs, it decides
// when the log begins anew, so that it grows in a burst; once a day one of more
// than 16 MB is emptied. What it restores was not closed in order, and so is
// checked at the start. It does not say that it is a copy: what was delivered in
// the last second before the loss may be sent again.
package queue
