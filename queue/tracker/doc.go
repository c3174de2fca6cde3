// Package tracker speaks to a tracking service over HTTP, by version 1 of its API. It
// sends each request once, and says what the answer means for the entry behind it.
//
// It owns the [Client], its key and its address. It owns the form in which a
// [Request] is sent, and the table that turns an answer into a
// [Fate]. The file openapi.yaml holds the contract in the form that tools
// read. The package also reads back what optional endpoints show: [Client.Me],
// [Client.AllHistory], [Client.MediaStatus], [Client.Lists]. A service without one
// is no trouble ([ErrNoEndpoint]).
//
// It promises that one call of [Client.Send] puts at most one request on the
// wire. It says "not sent" only when the connection's own count of bytes
// proves it; every other silence is [InDoubt]. The key leaves in a header
// alone, over TLS or towards this machine. No verdict and no error holds it.
//
// It refuses to repeat, to wait, to remember entries, and to guess. Its caller
// decides whether and when to try again.
//
// # One act, one request
//
// Go's transport repeats a POST by itself when it carries an Idempotency-Key or
// runs over HTTP/2. It also follows a 307 with our key in the header. So the
// client speaks HTTP/1.1 only, and gives its body through a reader of our own
// without GetBody. It follows no redirect, and closes idle connections after 2 s.
// A test counts whole POSTs at a raw socket.
//
// A wrapper of the connection counts bytes. After an error it is sealed, so
// that no later write counts, and then read. No connection, or fewer bytes than
// the request has, means "not sent". Error types and trace hooks prove nothing:
// WroteRequest fires before the flush.
//
// # What is sent
//
// A viewing carries its type (movie or episode), count 1, and watchedAt in UTC.
// An episode goes as tvShowId, seasonNumber and episodeNumber. Its own id goes
// only when those are not known, and never beside them. What is not known is
// left out; null is never sent.
//
// # What an answer means
//
// An address is proven once it has answered with this API's success or error
// object. A known error code decides before the status number does, since the
// contract leaves some statuses open.
//
//	the answer                                        becomes
//	no request left whole; 511                        offline: no attempt is counted
//	2xx with this operation's object                  delivered; a list's id is kept
//	VALIDATION_ERROR; success:false without a code;   rejected, in the service's words
//	  another 4xx with an error object
//	409 to a watchlist add, or to an item of a list   delivered
//	409 to a resend with the same Idempotency-Key     in doubt
//	UNAUTHORIZED or 401, FORBIDDEN or 403             refused: the account pauses
//	425, 429; 408 before the body left; 503 with      later; Retry-After holds for the
//	  Retry-After or an error object                    whole account
//	404, 405, 3xx, 101, 501, another 4xx without an   unproven: the account pauses;
//	  error object, where the address is not proven     the entry stays pending
//	the same where the address is proven              offline; a 2xx is in doubt
//	404, 405, 501 to an item of a list, proven        lacking: the service takes no items
//	another 5xx; a time-out, a reset or an unreadable in doubt
//	  answer after the request left
//
// A reading is called complete only when every page told the same total.
package tracker
