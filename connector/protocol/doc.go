// Package protocol is the language between the connector and its clients,
// version 1: JSON objects in websocket text frames, each with a "type".
//
// It has the Go types of the messages, their codes and limits, and reads frames. Go and
// JavaScript both test against the example messages in testdata. README.md is the page
// for authors of other clients.
//
// It promises that what [Decode] lets through has been read in one way only.
// Keys match exactly, never by case; a key that stands twice, text that is
// not UTF-8 and nesting beyond reason are BAD_JSON. A known field of another
// type is BAD_MESSAGE with its name, null included: leave out what you do not
// know. Fields that are not known are ignored, so a newer client can talk to
// an older daemon; a type that is not known is UNKNOWN_TYPE. An event becomes
// a valid [viewing.Event] or is refused.
//
// It refuses to open sockets, to know who is paired and to keep anything.
//
// # Conversation
//
// The client opens ws://127.0.0.1:43456/v1/connector with the subprotocol
// filmspool.v1 and says hello within 5 seconds. The daemon answers welcome.
// With a token in hello the socket is paired at once. A client that wants
// the daemon to prove itself first sends its clientId and a nonce instead. It
// compares the proof in welcome, which package pairing describes. The proof is
// absent when the daemon does not know the client. Then the client sends auth and
// gets a second welcome. A client without a token sends pair with the code that
// the user has typed.
//
// A viewing, a watchlist wish and a list to create carry a UUID that the
// client made when it happened. Each is answered by ack once it is on disk,
// or by an error of the same id. Whatever has no answer yet is sent again
// with the same id, on this socket or the next. The daemon answers "duplicate" to
// what it has. Up to limits.maxInFlight may wait for their
// answers; beyond that the daemon reads no further until one is answered.
//
// A frame that breaks the protocol before or in hello ends the socket with 4400.
// After that an error is answered and the socket stays open. A binary frame and a
// second hello still end it.
package protocol
