package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/viewing"
)

// event is a validated event of a batch with its JSON.
type event struct {
	viewing.Event
	source, kind string
	body         []byte // JSON with the fields in the order of the struct: equal events have equal bodies
}

// checkBatch validates a batch and returns its events.
func checkBatch(b viewing.Batch) ([]event, error) {
	kind := viewing.SourceKind(b.Source)
	if kind == "" {
		return nil, viewing.Wrong("source", "field.missing")
	}
	events := make([]event, len(b.Events))
	var faults []error
	for i, v := range b.Events {
		if err := v.Validate(); err != nil {
			faults = append(faults, fmt.Errorf("check event %q: %w", v.EventID, err))
			continue
		}
		body, err := json.Marshal(v)
		if err != nil {
			faults = append(faults, fmt.Errorf("write event %q: %w: %w", v.EventID, viewing.ErrInvalid, err))
		}
		events[i] = event{Event: v, source: b.Source, kind: kind, body: body}
	}
	return events, errors.Join(faults...)
}

// parts returns the items of an event, one for each request; a list has the single item nil.
func (e *event) parts() []*viewing.Media {
	items := make([]*viewing.Media, len(e.Media))
	for i := range e.Media {
		items[i] = &e.Media[i]
	}
	switch e.Kind {
	case viewing.KindViewing:
		return slices.Repeat(items, e.Count)
	case viewing.KindList:
		return []*viewing.Media{nil}
	default:
		return items
	}
}

// runtime returns the running time of the event's item as its source reported it; 0 if unknown.
func (e *event) runtime() (seconds time.Duration) {
	if e.Progress != nil {
		seconds = playback.RuntimeOf(e.Progress.Duration)
	}
	return max(seconds, playback.RuntimeOf(float64(e.Origin.Runtime)))
}

// storedEvent is an event that was committed before.
type storedEvent struct {
	id     int64
	source string
	body   []byte
}

// findEvent returns the event with an id; its own id is 0 if none exists.
func (t *tx) findEvent(kind, eventID string) (s storedEvent) {
	t.find("SELECT id, source, body FROM events WHERE source_kind = ? AND event_id = ?", []any{kind, eventID}, &s.id, &s.source, &s.body)
	return s
}

// resolveSameAs returns the id of the earlier event that e repeats, from its SameAs; 0 if e must
// get its own entries. That is the case if the earlier event is unknown, or if its entry was sent
// with an item that is not among those of e.
func (t *tx) resolveSameAs(e event) int64 {
	if e.SameAs == "" {
		return 0
	}
	same := t.findEvent(e.kind, e.SameAs).id
	keys := make([]string, len(e.Media))
	for i, m := range e.Media {
		keys[i] = m.Key()
	}
	if same == 0 || len(keys) == 0 || slices.Contains(keys, "") {
		return same
	}
	const selectOthers = `SELECT coalesce(min(event = ?1 AND state IN ('delivered', 'sending', 'in_doubt', 'rejected') AND touched < 2
		AND item_key <> '' AND item_key NOT IN (SELECT value FROM json_each(?2))), 1)
		FROM entries WHERE event = ?1 OR id IN (SELECT entry FROM witnesses WHERE event = ?1)`
	if t.numbers(selectOthers, same, asJSON{keys})[0] > 0 {
		return 0
	}
	return same
}

// entriesOf returns the ids of the entries that have the event as a sighting.
func (t *tx) entriesOf(event int64) []int64 {
	return t.numbers("SELECT id FROM entries WHERE event = ?1 UNION SELECT entry FROM witnesses WHERE event = ?1 ORDER BY 1", event)
}

// destination is an account that gets an event, and for an item of a list the list's entry there.
type destination struct {
	account   string
	list      int64         // for an item of a list: the entry of the list; 0 if unknown
	listState viewing.State // the state of that entry
	shared    bool          // the list entry was made from another event
}

// destinations returns where an event goes. An item of a list goes where its list went: a list
// of the same kind of source, or of any kind if a person adds the item by hand.
func (t *tx) destinations(e event) (places []destination) {
	kinds := []string{e.kind}
	switch {
	case e.Kind != viewing.KindListItem:
		kinds = nil
	case e.kind == viewing.SourceCLI:
		kinds = viewing.Sources()
	}
	for _, kind := range kinds {
		for _, id := range t.entriesOf(t.findEvent(kind, e.InList).id) {
			if list := t.entry(id); list.Kind == viewing.KindList {
				places = append(places, destination{list.Account, id, list.State, list.EventID != e.InList})
			}
		}
	}
	if len(places) > 0 {
		return places
	}
	for _, account := range t.settings.AccountsOf(e.source) {
		places = append(places, destination{account: account})
	}
	return places
}

// applyListState holds or drops the draft of a list item according to the state of its list.
func (d *draft) applyListState(list viewing.State) {
	say := func(code string) {
		d.steps = append(d.steps, entry.Step{Code: code, Args: entry.Args{"entry": number(d.After)}})
	}
	switch {
	case d.After == 0:
		if d.State == viewing.StatePending {
			d.State, d.Reason = viewing.StateHeld, viewing.ReasonNoList
		}
		say("rule.nolist")
	case d.State != viewing.StateDropped:
		say("rule.list")
		if list == viewing.StateDropped {
			d.State, d.Reason = viewing.StateDropped, reasonListDropped
			say("dropped.list")
		}
	}
}

// reasonListDropped is the reason of items that were dropped with their list.
const reasonListDropped = "list_dropped"

// dropListItems drops the waiting items of a list that was dropped.
func (t *tx) dropListItems(list int64) {
	for _, id := range t.numbers("SELECT id FROM entries WHERE after = ? AND (state = 'pending' OR state = 'held')", list) {
		e := t.entry(id)
		t.transition(&e, viewing.StateDropped, reasonListDropped, entry.Step{Code: "dropped.list", Args: entry.Args{"entry": number(list)}})
	}
}
