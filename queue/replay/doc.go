// Package replay is the loop that brings the waiting entries of one account to
// the service: lease, mark as sending, send, settle.
//
// It owns when something is sent. The gate says how many requests are under way
// at once. The pace says how fast they follow each other, and that imports let
// live entries pass. Back-off says how long an entry waits after trouble. A pause
// stops an account whose key is refused, or whose address is not the service.
//
// It promises that an entry is marked sending on disk before the first byte of
// its own request leaves. Never more entries are marked than requests are under
// way. Entries of one item leave in the order they happened. The trouble of one
// entry does not block another. Nothing is sent again unless the service's
// answer or its records prove that it was not recorded, or the user accepts a
// second record. There are two exceptions: a request whose Idempotency-Key the
// service honours, and a wish, which may be repeated.
//
// It refuses to read answers (package tracker does) and to keep anything itself
// (package queue does). It refuses to guess: what may have arrived is in doubt.
// Package doubt decides about that.
//
// # After trouble
//
// The gate opens with one request, then 2, then 4: it adds one at a time, and
// halves on 429 or 5xx. Back-off has full jitter, begins at 1 s and ends at 5
// minutes; its state is in the row. Live entries go before imports, which leave at
// 5 a second unless the settings say otherwise. The question "are we stopping?" is
// answered by our own context, never by an error.
//
// A paused account is asked again by a request that records nothing. That is GET
// /me where it exists, else POST /history with {}, which is refused as invalid. It
// happens after 5 minutes, and for a refused key the wait doubles to 6 hours. A new
// key or queue retry makes it happen at once. An optional endpoint that answers 401,
// 403 or 404 means "none here" and pauses nothing. When a new key belongs to
// another user, the account stays paused, its entries are held, and the user is asked.
//
// # Before it is sent
//
// A viewing that was not seen live is looked up first. The same item is merged
// when the service has it within half its running time; package playback has the
// numbers. One reading serves for a minute, or thirty times what it took, up to 15
// minutes. Viewings of one event never merge with each other.
//
// # Idempotency-Key
//
// The key is the hash of installation id, dedupe key, account and revision. An
// edit or a definite refusal raises the revision. The key is no evidence. With
// idempotency = true an entry in doubt is sent again with the same key. That goes on
// for 12 h: first after 30 s, doubling to 15 minutes. Then it is read back, else held.
//
// # What has no identifier
//
// Package resolve says what to ask and which answer is certain. The service is
// asked 2 s after a change of the queue, 50 at once, beside the sending, and only
// while entries may leave. What stays uncertain is asked again after 1, 7 and 30
// days, then no more. New evidence or another address begin it anew. Trouble with
// that holds nothing back, but a Retry-After holds for the whole account.
//
// A single question that is answered with 404 may be about an unknown item, or
// there may be no such endpoint. So an empty question is asked once: where there is
// an endpoint, it is refused as invalid. When that is 404 as well, two more items
// are asked about. An endpoint that is not there is asked again after a day.
package replay
