// Package tracker is the HTTP client of a tracking service. [Client.Send] makes exactly one request for a
// [Request] and returns in a [Verdict] what the response means for the entry; it never retries, waits or
// stores anything, and no verdict or error contains the key. It uses HTTP/1.1 without GetBody and without
// redirects, because Go's transport repeats a POST over HTTP/2 or when it can read the body again. The key is sent
// in a header, over TLS 1.2 or later, or to this machine. A request that never got a connection (httptrace's
// GotConn) has sent no byte and is [Offline]; every other request without a response is [InDoubt]. The other
// methods use optional endpoints; if one is missing, the error wraps [ErrNoEndpoint]. The file openapi.yaml is
// the contract for tools, and package sandbox is a service that implements it.
//
// An address is proven once it has answered with this API's success or error object. An error code of the
// contract takes precedence over the status, since the contract does not define all statuses:
//
//	response                                          verdict
//	no connection; 511                                offline: no attempt is counted
//	2xx with this operation's object                  delivered, with the id of a new list
//	VALIDATION_ERROR; success:false without a code;   rejected, with the service's message
//	  another 4xx with an error object
//	409 to a watchlist add, or to an item of a list   delivered
//	409 to a resend with the same Idempotency-Key     in doubt
//	UNAUTHORIZED or 401, FORBIDDEN or 403             refused: the account pauses
//	425, 429; 503 with Retry-After or an error object later; Retry-After applies to the whole account
//	404, 405, 3xx, 101, 501, another 4xx without an   unproven: the account pauses;
//	  error object, from an unproven address            the entry stays pending
//	the same from a proven address                    offline; a 2xx is in doubt
//	404, 405, 501 to a list item, proven address      unsupported: the service has no list items
//	408, another 5xx; a timeout, a reset or an        in doubt
//	  unreadable response after a connection
package tracker
