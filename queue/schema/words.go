package schema

// The columns that a row's sum covers, of entries AS n and events AS v: what
// is sent, and what names it for the service. The triggers of the schema say
// the same. Bookkeeping (states, leases, times) is not covered: it changes
// often, and a leased row's state is looked at again when it is marked sending.
const (
	SealedEntry = `seal(n.event, n.account, n.part, n.kind, n.media, n.list, n.item_key, n.priority, n.watched_at,
		n.watched_text, n.watched_offset, n.watched_precision, n.class, n.revision, n.created_at)`
	SealedEvent = "seal(v.source, v.source_kind, v.event_id, v.body, v.entry, v.parts, v.committed_at)"

	// Intact is 1 when a joined row is as it was written.
	Intact = "(n.sum IS " + SealedEntry + " AND v.sum IS " + SealedEvent + ")"
)

// MadeOf joins events AS v with the entries AS n that were made of them, in
// this order: the other way round would read all entries.
const MadeOf = "events AS v CROSS JOIN entries AS n ON n.id BETWEEN v.entry AND v.entry + v.parts - 1 AND +n.event = v.id"

// Unidentified chooses the entries that belong into the table of lookups: the
// service may be asked what they are. The triggers say the same.
const Unidentified = `(state = 'held' AND item_key = '' AND media IS NOT NULL
	AND (reason = 'unresolved' OR reason = 'bulk' OR reason = 'backdated' OR reason = 'review' OR reason = 'future'
	OR reason = 'wave'))`

// Elders are the entries about the item of entries AS n that happened before it,
// and may still be sent or may have arrived. The index entries_unfinished has them.
const Elders = ` FROM entries AS elder
	WHERE elder.account = n.account AND elder.item_key = n.item_key AND elder.item_key <> ''
	AND (elder.state = 'pending' OR elder.state = 'sending' OR elder.state = 'in_doubt')
	AND (elder.happened_at, elder.id) < (n.happened_at, n.id)`

// EventKey names an event for good, in the table dedupe. The kind is that of its
// source.
func EventKey(kind, eventID string) string { return kind + ":" + eventID }
