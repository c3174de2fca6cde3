// Package sandbox is an embedded tracking service that keeps the contract:
// for trying out, for tests, for living without an account.
//
// It owns one SQLite file with everything it was told, and the answers to
// requests that carried an Idempotency-Key. It promises the contract of the
// media tracking API v1 (POST /history, /watchlist and /lists below /api/v1),
// and where the contract is silent one fixed choice; what it answered 2xx is
// on disk and survives a restart. It refuses to judge what it is told: any
// identifier is taken, and it never compares contents.
//
// # Beyond the contract
//
// Unless [Options.ContractOnly] is set it also serves GET /me, GET /history,
// GET /lists, POST /media/status, POST /media/resolve and POST
// /media/resolve/batch, which a public key may read, POST
// /lists/{id}/items, which takes an item as often as it comes, DELETE
// /history, which takes all viewings of one item away, and honours
// Idempotency-Key. Reads answer GET, not HEAD. A history item's id and tmdbId
// are both the identifier of the film or episode itself, its series is
// tvShowId; rewatchCount is the number of viewings after the first.
//
// What it resolves it takes from a catalogue of a dozen films and series: an
// IMDb identifier and a title with its year with high confidence, a title with
// another year or none with medium, a part of a title with low. Of what is not
// in it POST /media/resolve says 404 NOT_FOUND.
//
// Three more choices: a count is at most 10,000, an Idempotency-Key at
// most 255 bytes, and keys that were made (none being given) are kept in the
// file, so that a restart does not sign its user out.
//
// # Faults
//
// POST /_sandbox/faults {"match":"POST /history","fault":F,"times":N} makes
// the next N matching requests go wrong (N is 1 when left out); GET lists
// what is still armed and DELETE disarms all. One request meets at most one
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
