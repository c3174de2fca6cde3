// Package library reads a Kodi video library: MyVideosNNN.db, or a MySQL or
// MariaDB server.
//
// It owns the way there. It knows where Kodi keeps its folders and profiles
// ([Profiles]), and which of several libraries is the live one ([Find]). It
// takes one short look at it ([Read], [Server.Read]) and makes a
// [snapshot.Snapshot] of its rows.
//
// It promises to change nothing, and to hold Kodi up for milliseconds: a reader
// that stays in the file freezes Kodi. A reading takes several transactions of
// 40 ms or little more. It is believed only when all of them saw one state.
// When Kodi has written between them three times over, one transaction of at
// most a few seconds reads all. It promises to name what stood in the way so
// that the caller can wait, or tell the user.
//
// A server's password is asked for once in each look, and goes to that server
// alone. It stands in no error and no text of this package.
//
// It refuses to judge: package rule says what counts as a viewing. It
// never opens the file for writing, never as "immutable", and repairs nothing.
//
// Schemas 121 (Kodi 20) and 131 (Kodi 21) are tested against files of a real
// Kodi. Others from 107 (Kodi 17) on are read when they have the columns that
// are needed, and are marked as unverified.
package library
