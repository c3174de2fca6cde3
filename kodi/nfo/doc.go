// Package nfo reads what Kodi and other programs export about films and
// episodes: trees of NFO files, and the single file videodb.xml.
//
// It owns the way from such files to a [snapshot.Snapshot], in which an NFO file
// (or a path named in videodb.xml) stands for a media file with its play count.
//
// It promises to change nothing, to read a file again only when its time or
// size changed, to stay within bounds whatever a file holds, and to trust only
// what is well-formed: identifiers out of a broken file, or in conflict with
// each other, are left out and told in words ([snapshot.Item.Doubt]).
//
// It refuses to judge what a viewing is (that is package kodi), to follow
// links below the place it was given, to expand entities, and to take an
// identifier whose namespace is not named: Kodi's legacy <id> and the type
// "unknown" have none.
//
// Kodi 20 and 21 write a date without a time into <lastplayed>, and write NFO
// files only when the user exports (seen with both).
package nfo
