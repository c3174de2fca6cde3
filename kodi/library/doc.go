// Package library reads a Kodi video library: MyVideosNNN.db, or a MySQL or
// MariaDB server.
//
// [Profiles] and [Find] know where Kodi keeps its folders, and which of several
// libraries is in use; [Database.Read] takes a [Snapshot]. A library is never
// changed, and Kodi is held up for milliseconds: a reader that stays in the file
// freezes its window. So a reading takes several short transactions, which must all
// see one state of the file. What stands in the way of a reading is named by an error
// of this package, so that the caller can wait or tell the user. Whatever a library
// claims, the size and the time of a reading are bounded.
//
// Schemas 121 (Kodi 20) and 131 (Kodi 21) are tested against files of a real Kodi.
// Others from 107 (Kodi 17) on are read when they have the columns that are needed.
package library
