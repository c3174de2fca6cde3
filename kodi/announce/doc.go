// Package announce hears what a Kodi on this machine says that it plays.
//
// Kodi tells every program that connects to its port on 127.0.0.1 what happens ([Listener]).
// That tells a playback from a mark, which the library does not.
// This package makes [announce.Act]s of it, and package rule weighs them.
//
// It promises never to write a byte, and to be silent where no Kodi is. It refuses to make a viewing of what it hears.
//
// # What is heard
//
// Seen with Kodi 20.1, with its settings as they come:
//
//	act                              what Kodi announces, in this order
//	played to its end                Player.OnPlay, VideoLibrary.OnUpdate with the count, Player.OnStop
//	stopped late enough to count     the same
//	followed by the next, or skipped Player.OnPlay, VideoLibrary.OnUpdate with the count, Player.OnPlay of the next
//	marked, by a person or an add-on VideoLibrary.OnUpdate with the count, nothing else
//	read again from its NFO          VideoLibrary.OnUpdate without a count
//
// The end of a playback follows its count within a fifth of a second. Two seconds are allowed.
//
//	a count with                               what it was
//	an end of the same item within two seconds played
//	no end, though that item is being played   not known
//	no end, and two seconds are not heard      not known: the connection began or broke then
//	no end, and the first play is heard then   not known: it may follow one that began before the connection
//	no end otherwise                           marked
//
// # Who can lie
//
// Any program of this machine may listen at that port in Kodi's place, while Kodi is not running.
// Another Kodi may, too: of two on one machine, the second gets no port, and both number their items alike.
// What is heard never makes a viewing. It sorts a play count that the library shows to have grown.
// It has to name that item with that count, announced since the last good reading.
// So a liar can have a mark sent, or have a play held. It cannot invent either.
//
// Announcements are bounded in size and number. What does not speak as Kodi does is left alone for up to an hour.
package announce
