// Package replay sends the waiting entries of one account to the service, one
// request at a time. [Loop.Run] repeats one turn: write what could not be written
// before, read the account's row, probe a service that was away, read back what
// may have arrived, look up what has no identifier, and send the next entry that
// is due; then it sleeps until the next of these, or until the queue changes.
//
// An entry is marked as sending on disk before the first byte of its request leaves,
// and its end is written before anything else. Nothing is sent again unless the answer or the
// service's history prove that it was not recorded, or the user accepts a second
// record; exceptions are a wish, which may be repeated, and an Idempotency-Key that
// the service honours. Any answer that is not understood means in doubt, which package
// doubt decides. Live entries pass those of imports. Trouble of one entry blocks no
// other one, except a list its items, and an older viewing of an item the younger ones.
//
// After trouble:
//
//	answer                        the entry                     the account
//	2xx                           delivered                     online
//	refused, with a reason        rejected, revision raised     online
//	429, 5xx with Retry-After     waits as long as asked        waits as long as asked
//	another answer to come later  1 s, doubled to 5 minutes     3 entries in a row: offline
//	key refused                   as it was                     paused, probed after 5 minutes to 6 hours
//	not the service               as it was                     paused, probed every 5 minutes
//	not reached                   as it was                     offline, probed after 1 s, doubled to 5 minutes
//	anything else                 in doubt                      3 entries in a row: offline
//
// Waits have full jitter. A probe records nothing: GET /me where it exists, else
// POST /history with {}, which is refused as invalid. A new key, [Loop.Wake] and,
// while offline, new entries have it probed at once; Retry-After holds all the same.
// Before anything is sent with a new key, the service is asked whose it is: what waits
// was watched by one person.
package replay
