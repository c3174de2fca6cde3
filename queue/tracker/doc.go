// Package tracker is the HTTP client of a tracking service. [Client.Send] makes exactly one request for a
// [Request] and says in a [Verdict] what the answer means for the entry behind it; it never repeats, waits or
// remembers entries, and no verdict or error holds the key. It speaks HTTP/1.1 without GetBody and without
// redirects, because Go's transport repeats a POST over HTTP/2 or when it can make the body again. The key goes
// in a header, over TLS 1.2 or to this machine. A request that never got a connection (httptrace's GotConn) has
// left no byte and is [Offline]; every other request without an answer is [InDoubt]. Optional endpoints are read
// by the other methods; one that is not there is an error that wraps [ErrNoEndpoint]. The file openapi.yaml is
// the contract for tools, and package sandbox is a service that keeps it.
//
// An address is proven once it has answered with this API's success or error object. A code of the contract
// decides before the status does, since the contract leaves some statuses open:
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
