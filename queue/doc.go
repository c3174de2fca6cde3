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
// preceded by one; the last two are kept.
//
// Litestream can copy the file away continuously. It reads the write-ahead log,
// which is grown to 4 MB once and then overwritten: the rest of an older round
// in it has another salt and is passed over. While Litestream runs, it decides
// when the log begins anew, so that it grows in a burst; once a day one of more
// than 16 MB is emptied. What it restores was not closed in order, and so is
// checked at the start. It does not say that it is a copy: what was delivered in
// the last second before the loss may be sent again.
package queue
