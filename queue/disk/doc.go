// Package disk keeps one SQLite database in one file. What is acknowledged is on
// disk, and what is damaged is copied as far as it can be read.
//
// It owns the state folder's lock, the connections, the migrations and the way
// of writing. It knows nothing of what the tables mean. Their owner tells that
// in [Options]: what a transaction takes back, how a run begins, how copied
// rows are made to agree. Two tables are its own: "meta", which also holds what a person
// should know, and "ballast".
//
// # Writing
//
// All writing goes through [File.Run]: one transaction at a time takes what
// waits and is answered after the disk has it. While nobody else writes, the
// caller's own goroutine does it. Readers have connections of their own and see
// only whole transactions.
//
// A full disk, an I/O error or another's lock refuses what was to be written,
// with [ErrStorage], and undoes it whole. The connection is then made anew, for
// a flush that has failed must not be tried again. [File.Trouble] tells what
// keeps the file from being written, and how many events were refused.
//
// Pages that become free are used again; the file does not shrink. An
// incremental vacuum would make it shrink, but it keeps a map of all pages.
// Every commit that takes a new page would have to write that map.
//
// # Damage
//
// A run that met a damaged page ends. A start that follows an unclean stop looks
// at the whole file, for ten seconds at most. A damaged database is set aside as
// NAME.damaged-TIME, and every readable row is copied into a new one by ranges of row
// numbers. [File.Notices] tells of it until somebody acknowledges.
//
// A write-ahead log that does not belong to the database is set aside: SQLite would
// discard it where the database is missing, or write it over a copy that was put in
// place.
//
// The lock of the state folder is the file "lock". Where the system can lock a
// folder, it is the folder itself, too: a deleted file lets nobody else in.
//
// [OpenReading] reads without making, migrating or setting aside anything. On a
// full or read-only disk it may read a copy in a temporary folder.
//
// # Copies
//
// [File.Backup] makes a copy while all goes on. Each migration makes one first;
// the last two are kept. A copy gets its name when it is whole.
//
// Litestream can copy the file away continuously. It reads the write-ahead log,
// which is grown to 4 MB once and then overwritten. Pages of an older round
// may still be in it. Their salt differs, so Litestream skips them. While Litestream runs, it decides
// when the log begins anew, so that the log grows in a burst. Once a day a log of more
// than 16 MB is emptied. What Litestream restores was not closed in order, and so is
// checked at the start. It does not say that it is a copy.
package disk
