// Package connector is what browsers and other programs report to. It has the
// websocket of browser extensions, the health answer that they ask for first, and the
// address where other programs post.
//
// It owns one session per socket: a reader, a writer and a committer,
// all waited for. The reader decodes. The committer hands events to the [Sink] in
// the order they were read, as many at once as have gathered. The writer alone
// writes, from a bounded queue.
//
// It promises that an event is acknowledged only after [Sink.Commit] has returned
// without an error. What could not be committed is answered by an error or not at
// all. Events that were read are committed even if the socket is gone by then. A
// revoked client hears 4403 at once, and nothing of it is committed after that.
//
// Memory is bounded per socket and in the number of sockets. A client that does not
// read is cut off when one write has waited for [Limits.Write]. The same holds for
// one whose message does not end within [Limits.Message]. The websocket's own pings
// and pongs count as messages.
//
// It refuses to be built without the functions that say who may connect and who may
// post. They are asked first, and a stranger gets 403. A browser's token posts
// nothing, and a program's opens no socket. It refuses to read history or keys, to
// compress, to take binary frames, and to know the queue: the sink is an interface.
//
// # What is said where
//
// Scripts cannot see why an upgrade was refused. So only strangers are turned away
// before the upgrade. Everybody is refused (503) while the daemon stops, or while
// twice the allowed number of sockets is open. All else is an error message and a
// close code on an open socket.
//
// A client must ask for the subprotocol filmspool.v1. A client without it hears
// UNSUPPORTED_VERSION and 4426, since both sides would only guess that they mean the
// same.
//
// For a socket beyond [Limits.Sockets] the oldest unpaired one is closed. Where all
// are paired, the new one gets RATE_LIMITED and 4429. A hello of an unknown client
// beyond [Limits.UnpairedHellos] gets the same. A hello whose clientId and Origin
// are known does not count there, so that a noisy stranger keeps no paired client
// out.
//
// What strangers do wrong costs one line of log for each Origin and cause, then a
// count every 10 minutes.
package connector
