// Package replay is the loop that brings the waiting entries of one account
// to the service: lease, mark as sending, send, settle.
//
// It owns when something is sent: how many requests are under way at once
// (the gate), how fast they may follow each other and that imports let what
// is live pass (the pace), how long a row waits after trouble (full-jitter back-off, kept
// in the row), when an account stands still (a refused key, an address that
// is not the service, no way to the service, a Retry-After) and how it comes
// back (a probe that records nothing, then 1, 2, 4 … requests at once).
//
// It promises that an entry is marked sending on disk before the first byte
// of its own request leaves, that never more entries are marked than requests
// are under way, that entries of one item leave in the order they happened,
// that the trouble of one entry does not block another's, and that nothing is
// sent again unless its own answer, or the service's own records, proved that
// it was not recorded, or the user's setting accepts a second record. It wakes
// only for a change of the queue, for the next row that is due, for the next
// probe, for the next look at what is in doubt, and for the next question
// about what has no identifier.
//
// What may have arrived is looked for while the account is well, one look at a
// time (readback.go): a probe, then the service's records, as far as it has
// endpoints for them (support.go); package doubt decides. The first look comes
// within seconds and can only prove arrival. What was not seen
// live is looked up before it is sent (precede.go). Of what is held for want of
// an identifier the service is asked what it is (resolving.go), where it can
// tell: many at once, while entries may be sent and beside them; package
// resolve says what is certain. Trouble with that keeps no entry back.
//
// It refuses to read answers (package tracker does), to keep anything itself
// (package queue does) and to guess: what may have arrived is put in doubt.
package replay
