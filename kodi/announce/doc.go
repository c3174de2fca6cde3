// Package announce receives the announcements of a Kodi on this machine, which tell a playback from a mark. A [Listener]
// connects to Kodi's JSON-RPC port on 127.0.0.1, never writes a byte, and turns announcements into [Update]s. Package
// rule compares these with the library. If no Kodi runs, there are no updates.
//
// # Announcements
//
// Observed with Kodi 20.1 and its default settings:
//
//	action                           announcements, in this order
//	played to its end                Player.OnPlay, VideoLibrary.OnUpdate with the count, Player.OnStop
//	stopped late enough to count     the same
//	followed by the next, or skipped Player.OnPlay, VideoLibrary.OnUpdate with the count, Player.OnPlay of the next
//	marked, by a user or an add-on   VideoLibrary.OnUpdate with the count, nothing else
//	read again from its NFO          VideoLibrary.OnUpdate without a count
//
// The end of a playback follows its count within 0.2 seconds. Two seconds are allowed.
//
//	a count with                                   is
//	an end of the same item within two seconds     played
//	no end, connected for less than two seconds    unclear: the connection began or ended then
//	no end, before the first play was received     unclear: it may follow a play that began before the connection
//	no end, while that item is being played        marked, as part of that playback
//	no end otherwise                               marked
//
// # Trust
//
// Any program on this machine may listen at that port while Kodi is not running. So may another Kodi: of two on one
// machine the second gets no port, and both use the same item numbers. So an update never makes a viewing. It only
// classifies a play count that rose in the library, and must name that item with that count since the last successful
// read. A malicious program can have a mark sent or a playback held, but cannot invent viewings.
//
// The item that plays now is shown with its title in the library, and not stored. A malicious program can have a wrong
// title of the library shown.
//
// Announcements are bounded in size and number. A program at the port that is not Kodi is retried once an hour at most.
package announce
