// Package tracker is the client of a tracking service: it sends each [Request] as one HTTP request and says
// in a [Verdict] what the answer means for the entry behind it. It also reads back what optional endpoints
// show; a service without one is an error that wraps [ErrNoEndpoint]. It never repeats, waits or remembers
// entries: its caller decides whether and when to try again. The file openapi.yaml holds the service's
// contract for tools, and package sandbox is a service that keeps it.
//
// # One call, one request
//
// Go's transport repeats a POST by itself over HTTP/2, or when it can make the body again, and [http.Client]
// follows a 307 with our key in the header. So [Client] speaks HTTP/1.1 only, sends bodies without GetBody and
// follows no redirect. The key leaves in a header alone, over TLS 1.2 or later, or over http to this machine.
// No verdict and no error holds it.
//
// # Not sent, or in doubt
//
// A request that never got a connection (httptrace's GotConn) has left no byte: it is [Offline]. Every other
// request without an answer may have been recorded: it is [InDoubt].
//
// # What is sent
//
// A viewing carries its type (movie or episode), count 1, and watchedAt in UTC. An episode goes as tvShowId,
// seasonNumber and episodeNumber, or by its own id where those are not known, never both. What is not known is
// left out; null is never sent.
//
// # What an answer means
//
// An address is proven once it has answered with this API's success or error object. A code of the contract
// decides before the status does, since the contract leaves some statuses open.
//
//	the answer                                        becomes
//	no connection; 511                                offline: no attempt is counted
//	2xx with this operation's object                  delivered; a list's id is kept
//	VALIDATION_ERROR; success:false without a code;   rejected, in the service's words
//	  another 4xx with an error object
//	409 to a watchlist add, or to an item of a list   delivered
//	409 to a resend with the same Idempotency-Key     in doubt
//	UNAUTHORIZED or 401, FORBIDDEN or 403             refused: the account pauses
//	425, 429; 503 with Retry-After or an error object later; Retry-After holds for the whole account
//	404, 405, 3xx, 101, 501, another 4xx without an   unproven: the account pauses;
//	  error object, where the address is not proven     the entry stays pending
//	the same where the address is proven              offline; a 2xx is in doubt
//	404, 405, 501 to an item of a list, proven        lacking: the service takes no items
//	408, another 5xx; a time-out, a reset or an       in doubt
//	  unreadable answer after a connection
package tracker
