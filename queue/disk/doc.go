// Package disk keeps one SQLite database in one file. What is acknowledged is on
// disk, and what is damaged is saved as far as it can be read.
//
// It owns the state folder's lock, the connections, the migrations and the way
// of writing. It knows nothing of what the tables mean. Their owner tells that
// in [Options]: what a transaction takes back, how a run begins, how damaged rows
// are saved. Two tables are its own: "meta", which also holds what a person
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
// NAME.damaged-TIME, and what can be read of it is saved into a new one.
// [File.Notices] tells of it until somebody acknowledges.
//
// A start reads the write-ahead log itself when the database is missing or
// empty: SQLite would discard it. A log that leads to everything becomes the
// database again. From any other log, all rows are saved that its pages hold. It
// has everything that was taken since it last began, about 1,000 pages. Pages of
// its earlier rounds help too, but what they hold may have changed since. What
// stood in the file alone cannot be saved. A log beside a copy that was put in
// place is set aside.
//
// NAME-run names the last run. With it, a start sees that the database or its
// log is missing, or is older than it was.
//
// Before each transaction and after each commit, the package checks whether the
// names of database, log and index still lead to the open files. While nothing
// is written, it checks every 5 minutes. If a name leads elsewhere, the open
// files still have everything. The database is written anew from them, Run
// ends, and the next [Open] puts the new file in place. If that fails, nothing
// is acknowledged, and it is tried again. A file that was cut loses the part
// that was cut off, unless log or memory has it. A notice says so.
//
// The lock of the state folder is the file "lock". Where the system can lock a
// folder, it is the folder itself, too: a deleted file lets nobody else in.
//
// [OpenReading] reads without making, migrating or setting aside anything. On a
// full or read-only disk it puts database and log together in memory.
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
