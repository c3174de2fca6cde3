// Package nfo reads what Kodi and other programs export about films and
// episodes: trees of NFO files, and the single file videodb.xml.
//
// It owns the way from such files to a [snapshot.Snapshot]. There an NFO file, or
// a path named in videodb.xml, stands for a media file with its play count.
//
// It promises to change nothing, and to stay within bounds whatever a file holds.
// It reads a file again only when its time or size changed. It trusts only what
// is well-formed. Identifiers in a broken file, or in conflict with each other,
// are left out and told in words ([snapshot.Item.Doubt]).
//
// It refuses to judge what a viewing is (that is package rule), to follow links
// below its place, and to expand entities. It takes no identifier without a
// namespace: Kodi's legacy <id> and the type "unknown" have none.
//
// Kodi 20 and 21 write a date without a time into <lastplayed>, and write NFO
// files only when the user exports (seen with both).
package nfo
