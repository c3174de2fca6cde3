package queue

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// event is one event of a batch, ready to be written.
type event struct {
	viewing.Event
	source, kind string
	body         []byte // canonical: the fields of the struct in their order
	content      []byte // what tells a repetition from a conflict
}

// read checks a batch and renders what will be kept of it.
func read(b viewing.Batch) ([]event, error) {
	kind := viewing.SourceKind(b.Source)
	if kind == "" {
		return nil, fmt.Errorf("%w: source: is missing", viewing.ErrInvalid)
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
		content := sha256.Sum256(body)
		events[i] = event{Event: v, source: b.Source, kind: kind, body: body, content: content[:]}
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

// known is an event that was taken before.
type known struct {
	event   int64
	content []byte
}

// earlier finds an event that was taken before; nil when it is new.
func (t *tx) earlier(kind, eventID string) (*known, error) {
	var k known
	found, err := t.Find("SELECT event, content FROM dedupe WHERE key = ?",
		[]any{schema.EventKey(kind, eventID)}, &k.event, &k.content)
	if err != nil || !found {
		return nil, err
	}
	return &k, nil
}

// sameAs is the earlier event that e is another sighting of; nil when it names
// none that is known.
func (t *tx) sameAs(e event) (*known, error) {
	if e.SameAs == "" {
		return nil, nil
	}
	return t.earlier(e.kind, e.SameAs)
}

// stillSame is the earlier event, or nil when e names other items by now than
// what was sent of it: then e stands for itself, and answers the question.
func (t *tx) stillSame(e event, same *known) (*known, error) {
	keys := make([]string, len(e.Media))
	for i, m := range e.Media {
		keys[i] = m.Key()
	}
	if len(keys) == 0 || slices.Contains(keys, "") {
		return same, nil
	}
	rows, err := t.Query(`SELECT item_key, event = ?1 AND state IN ('delivered', 'sending', 'in_doubt', 'rejected')
			AND NOT EXISTS (SELECT 1 FROM steps WHERE entry = n.id AND what = ?2)
		FROM entries AS n WHERE id IN (SELECT n.id FROM `+schema.MadeOf+` WHERE v.id = ?1 UNION SELECT entry FROM witnesses WHERE event = ?1)`,
		same.event, edited)
	kept := 0
	_, err = disk.Collect(rows, err, func(r *sql.Rows) (struct{}, error) {
		var key string
		var left bool
		err := r.Scan(&key, &left)
		if !left || key == "" || slices.Contains(keys, key) {
			kept++
		}
		return struct{}{}, err
	})
	if err != nil || kept > 0 {
		return same, err
	}
	return nil, nil
}

// entriesOf lists the entries that an event became, or became part of.
func (t *tx) entriesOf(event int64) ([]int64, error) {
	rows, err := t.Query("SELECT n.id FROM "+schema.MadeOf+` WHERE v.id = ?1
		UNION SELECT entry FROM witnesses WHERE event = ?1 ORDER BY 1`, event)
	return disk.Collect(rows, err, disk.ScanID)
}
