// Package sandbox is an embedded tracking service that keeps the contract: for
// trying out, for tests, for living without an account.
//
// It owns one SQLite file with everything it was told, and the answers to
// requests that carried an Idempotency-Key. It promises the contract of the
// media tracking API v1: POST /history, /watchlist and /lists below /api/v1.
// Where the contract is silent it makes one fixed choice. What it answered 2xx
// is on disk and survives a restart. It refuses to judge what it is told: it
// takes any identifier, and never compares contents.
//
// # Beyond the contract
//
// Unless [Options.ContractOnly] is set it honours Idempotency-Key and also serves
//
//	GET /me, /history, /lists                    a public key may read them
//	POST /media/status                           a public key may ask
//	POST /media/resolve, /media/resolve/batch    likewise
//	POST /lists/{id}/items                       takes an item as often as it comes
//	DELETE /history                              takes all viewings of one item away
//
// Reads answer GET, not HEAD. A history item's id and tmdbId are both the
// identifier of the film or episode itself, and its series is tvShowId. Its
// rewatchCount is the number of viewings after the first.
//
// It resolves from a catalogue of a dozen films and series. An IMDb identifier,
// or a title with its year, has high confidence. A title with another year or none
// has medium confidence, and a part of a title low. For what is not in the
// catalogue POST /media/resolve says 404 NOT_FOUND.
//
// A count is at most 10,000, and an Idempotency-Key at most 255 bytes. Keys that
// it made itself are kept in the file, so that a restart signs nobody out.
//
// # Faults
//
// POST /_sandbox/faults {"match":"POST /history","fault":F,"times":N} makes
// the next N matching requests go wrong. N is 1 when left out. GET lists what is
// still armed, and DELETE disarms all. One request meets at most one
// fault, the one armed first. These strike every matching request, whatever its
// key and body, and record nothing:
//
//	status:503     that status (200 to 599) with the error object
//	bare:503       that status with an empty body and no content type
//	retry-after:2  429 with Retry-After: 2 and the error object
//	html           200 with an HTML page
//	empty          200 with an empty body
//	drop-before    the request is read, the connection closed
//	reset          the same, closed with a TCP reset
//
// These strike only requests that passed every check:
//
//	delay:500ms    worked on for that long, then recorded and answered
//	drop-after     recorded, then the connection is closed
//	cut            recorded, then half of the answer is sent
//	status-after:500
//	               recorded, then that status (400 to 599) without a body
//	late:3s        the connection is closed at once, and the request
//	               recorded that much later, even if the client is gone
//
// A delayed or late request counts as still being worked on. A repeat that is
// answered by its Idempotency-Key meets none of the second kind.
//
// GET /_sandbox/records lists all that was recorded, in order. The control
// routes ask for no key; they refuse web pages (Origin), other machines, and
// any Host but a loopback one.
package sandbox
