// Package announce hears what a Kodi on this machine announces that it plays, which tells a playback from a mark.
// A [Listener] connects to Kodi's port on 127.0.0.1, never writes a byte, and makes [Act]s of what it hears; package
// rule weighs them against the library. Where no Kodi runs it is silent.
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
//	no end, and two seconds are not heard      unclear: the connection began or broke then
//	no end, and the first play is heard then   unclear: it may follow one that began before the connection
//	no end, though that item is being played   marked, as part of that playback
//	no end otherwise                           marked
//
// # Who can lie
//
// Any program of this machine may listen at that port while Kodi is not running. So may another Kodi: of two on one
// machine the second gets no port, and both number their items alike. What is heard never makes a viewing. It sorts a
// play count that the library shows to have grown, and has to name that item with that count, announced since the last
// good reading. So a liar can have a mark sent, or a play held, and can invent neither.
//
// What plays now is shown to the person by the library's title of that number, and not kept. A liar can have a wrong
// title of the library shown.
//
// Announcements are bounded in size and number. What does not speak as Kodi does is left alone for up to an hour.
package announce
