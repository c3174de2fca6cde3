// Package replay sends the waiting entries of one account to the service, one
// request at a time. [Loop.Run] repeats one turn: write results that could not be written
// before, read the account's row, probe a service that was offline, read back entries
// in doubt, look up items without an identifier, and send the next entry that
// is due. Then it sleeps until the next of these is due, or until the queue changes.
//
// An entry is marked as sending on disk before the first byte of its request leaves,
// and the result is written before anything else happens. An entry is sent again only if the
// response or the service's history proves that it was not recorded, or if the user accepts a
// second record. Two kinds of request may be repeated: a watchlist add, and a request with an
// Idempotency-Key that the service honours. A response that cannot be interpreted puts the entry in
// doubt; package doubt decides about it. Live entries are sent before imported ones. A failing
// entry blocks no other entry, with two exceptions: a list blocks its items, and an older
// viewing of an item blocks the newer ones.
//
// What happens after a response:
//
//	response                      the entry                     the account
//	2xx                           delivered                     online
//	refused, with a reason        rejected, revision raised     online
//	429, 5xx with Retry-After     retried after that wait       sends nothing until then
//	another temporary refusal     1 s, doubled to 5 minutes     3 entries in a row: offline
//	key refused                   unchanged                     paused, probed after 5 minutes to 6 hours
//	not the service               unchanged                     paused, probed every 5 minutes
//	not reached                   unchanged                     offline, probed after 1 s, doubled to 5 minutes
//	anything else                 in doubt                      3 entries in a row: offline
//
// Waits have full jitter. A probe records nothing: GET /me where it exists, else
// POST /history with {}, which is refused as invalid. A new key and [Loop.Wake] start a
// probe at once, and so do new entries while the account is offline. Retry-After is
// respected even then. Before anything is sent with a new key, the loop checks that the key
// belongs to the account's owner: all waiting entries were watched by one person.
package replay
