// Package connector is the websocket endpoint that browser extensions report
// to, the health answer they ask for before they open a socket, and the
// address where other programs post.
//
// It owns one session per socket: a reader, a writer, a committer and an
// attendant, all waited for. The reader decodes, the committer hands events to
// the [Sink] in the order they were read, as many at once as have gathered, and
// the writer alone writes, from a bounded queue. The attendant asks what things
// are and takes events back, one at a time: both ask the service and take time.
//
// It promises that an event is acknowledged only after [Sink.Commit] has
// returned without an error, and that what could not be committed is answered
// by an error or not at all. Events that were read are committed even if the
// socket is gone by then. A revoked client hears 4403 at once, and nothing of
// it is committed after that. Memory is bounded per socket and in the number
// of sockets; a client that does not read is cut off when one write has
// waited for [Limits.Write], one whose message does not end after
// [Limits.Message]. Pings and pongs of the websocket's own count as messages.
//
// It refuses to be built without the functions that say who may connect and
// who may post: they are asked first, and 403 is all a stranger gets. A
// browser's token posts nothing, a program's opens no socket. It refuses to
// read history or keys, to compress, to take binary frames, and to know the
// queue: the sink is an interface.
//
// # What is said where
//
// Scripts cannot see why an upgrade was refused, so only strangers are turned
// away before it, and everybody while the daemon stops or twice the allowed
// number of sockets is open (503). All else is an error message and a close
// code on an open socket. A client must ask for the subprotocol filmspool.v1:
// without it UNSUPPORTED_VERSION and 4426 are said, since both sides would
// otherwise only guess that they mean the same protocol. For a socket beyond
// [Limits.Sockets] the oldest unpaired one is closed. Where all are paired, the
// new one gets RATE_LIMITED and 4429, and so does a hello of a client we do not
// know beyond [Limits.UnpairedHellos]. A hello whose clientId
// and Origin we know does not count as one of those, so that a noisy
// stranger cannot keep a paired client out.
package connector
