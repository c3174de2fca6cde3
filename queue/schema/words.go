package schema

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
