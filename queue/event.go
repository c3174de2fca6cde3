package queue

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/filmspool/filmspool/queue/playback"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// event is one event of a batch, ready to be written.
type event struct {
	viewing.Event
	source, kind string
	body         []byte // canonical: the fields of the struct in their order
}

// checkBatch checks a batch and renders what will be kept of it.
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

// parts are the items that an event asks for, one for each request; nil stands
// for a list.
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

// runtime is the running time of the event's item, as the source reported it.
func (e *event) runtime() (seconds time.Duration) {
	if e.Progress != nil {
		seconds = playback.Seconds(e.Progress.Duration)
	}
	return max(seconds, playback.Seconds(float64(e.Origin.Runtime)))
}

// stored is an event that was committed before; its id is 0 for none.
type stored struct {
	id     int64
	source string
	body   []byte
}

// stored finds an event that was committed before.
func (t *tx) stored(kind, eventID string) (s stored, err error) {
	_, err = t.Find("SELECT id, source, body FROM events WHERE source_kind = ? AND event_id = ?", []any{kind, eventID}, &s.id, &s.source, &s.body)
	return s, err
}

// sameAs is the earlier event that e is another sighting of; 0 when it names
// none that is known, or other items by now than what was sent of that: then e stands
// for itself.
func (t *tx) sameAs(e event) (int64, error) {
	if e.SameAs == "" {
		return 0, nil
	}
	same, err := t.stored(e.kind, e.SameAs)
	if err != nil || same.id == 0 {
		return 0, err
	}
	keys := make([]string, len(e.Media))
	for i, m := range e.Media {
		keys[i] = m.Key()
	}
	if len(keys) == 0 || slices.Contains(keys, "") {
		return same.id, nil
	}
	others := true
	_, err = sqlite.All(t.Tx, func(r *sql.Rows) (struct{}, error) {
		var key string
		var sent bool
		err := r.Scan(&key, &sent)
		others = others && sent && key != "" && !slices.Contains(keys, key)
		return struct{}{}, err
	}, `SELECT item_key, event = ?1 AND state IN ('delivered', 'sending', 'in_doubt', 'rejected') AND touched < 2
		FROM entries WHERE event = ?1 OR id IN (SELECT entry FROM witnesses WHERE event = ?1)`, same.id)
	if err != nil || !others {
		return same.id, err
	}
	return 0, nil
}

// entriesOf lists the entries that an event became, or became part of.
func (t *tx) entriesOf(event int64) ([]int64, error) {
	return t.Numbers("SELECT id FROM entries WHERE event = ?1 UNION SELECT entry FROM witnesses WHERE event = ?1 ORDER BY 1", event)
}
