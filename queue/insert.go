package queue

// insertEvent writes an event.
func (t *tx) insertEvent(e event) (int64, error) {
	return t.Insert("INSERT INTO events (source, source_kind, event_id, body, committed_at) VALUES (?, ?, ?, ?, ?)",
		e.source, e.kind, e.EventID, string(e.body), t.now)
}

// insertEntry writes a new entry of an event, and counts it; the steps say how it
// was decided. It is due when it happened, or at its NextAt where that is later.
func (t *tx) insertEntry(event int64, e *Entry, d draft) (err error) {
	if e.State.Finished() {
		e.SettledAt = e.CreatedAt
	}
	millis, whole := watchedColumns(e.WatchedAt.Instant)
	e.ID, err = t.Insert(`INSERT INTO entries (event, account, part, kind, media, reported, correction, list, item_key, priority, watched_at, watched,
			class, created_at, state, reason, lane, after, next_at, planned_at, settled_at, decided)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		event, e.Account, e.Part, string(e.Kind), asJSON{e.Media}, asJSON{e.Reported}, idOrNull(e.Correction), asJSON{e.List}, e.Key(), e.Priority,
		millis, whole, string(e.Class), t.now, string(e.State), e.Reason, int(e.Lane), idOrNull(e.After),
		max(t.dueSince(*e).UnixMilli(), e.NextAt.UnixMilli()), t.now, timeOrNull(e.SettledAt), asJSON{d.Steps})
	if err != nil {
		return err
	}
	t.count(e.Account, e.State, 1)
	return t.keepLookup(Entry{}, *e)
}
