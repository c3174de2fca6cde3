// Package library reads a Kodi video library: a file MyVideosNNN.db, or a database on a MySQL or MariaDB server.
//
// [Discover], [Profiles] and [Find] locate the libraries and choose the one in use; [Database.Read] returns a
// [Snapshot]. A library is never changed, and Kodi is blocked for milliseconds only, because a reader that holds its
// lock freezes Kodi's window. So a read uses several short transactions, which must all see the same state of the
// file. Every obstacle is one of this package's errors, so that the caller can retry or inform the user. The size
// and the time of a read are bounded.
//
// Schemas 121 (Kodi 20) and 131 (Kodi 21) are tested against files of a real Kodi. Other schemas from 107 (Kodi 17)
// on are read if they have the needed columns.
package library
