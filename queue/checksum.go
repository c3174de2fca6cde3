package queue

// The columns that a row's sum covers, of entries AS n and events AS v: what
// is sent, and what names it for the service. The triggers of the schema say
// the same. Bookkeeping (states, leases, times) is not covered: it changes
// often, and a leased row's state is looked at again when it is marked sending.
const (
	sealedEntry = `seal(n.event, n.account, n.part, n.kind, n.media, n.list, n.item_key, n.priority, n.watched_at,
		n.watched_text, n.watched_offset, n.watched_precision, n.class, n.revision, n.created_at)`
	sealedEvent = "seal(v.source, v.source_kind, v.event_id, v.body, v.entry, v.parts, v.committed_at)"

	// intact is 1 when a joined row is as it was written.
	intact = "(n.sum IS " + sealedEntry + " AND v.sum IS " + sealedEvent + ")"
)
