package queue

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/filmspool/filmspool/queue/disk"
	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// A source may find out that what it told was something else, when that has
// been sent already. Nothing can be changed at the service by itself: a person
// is asked.

// questionID names the question whether the n-th entry of an event was another item.
func questionID(eventID string, n int64, key string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", eventID, n, key))
	return "ask-" + hex.EncodeToString(sum[:16])
}

// ask makes a held entry of what a delivered one should have been, in its account.
func (t *tx) ask(c amendment, e amendable) error {
	sent, err := t.entry(e.id)
	if err != nil {
		return err
	}
	m := c.Media[e.part%len(c.Media)]
	key := m.Key()
	if key == "" || sent.Damaged || sent.Media == nil || key == sent.Media.Key() {
		return t.note(e.id, c.noted(e))
	}
	v := c.original
	v.EventID, v.Media, v.Count = questionID(c.EventID, e.id-c.first, key), []viewing.Media{m}, 1
	v.Class, v.Unsure, v.SameAs = viewing.ClassReview, true, ""
	v.Origin.Note = fmt.Sprintf("%s Entry %d was sent before that, as %s. If that was wrong: filmspool queue undo %d, and release this one. If it was right: drop this one.",
		c.Reason, e.id, sent.Media.Label(), e.id)
	asked, err := read(viewing.Batch{Source: c.source, Events: []viewing.Event{v}})
	if err != nil {
		return err
	}
	asked[0].accounts = []string{sent.Account}
	o, err := t.take(asked[0])
	if err != nil {
		return err
	}
	if len(o.Entries) == 0 {
		return t.note(e.id, c.noted(e))
	}
	return t.note(e.id, fmt.Sprintf("%s Entry %d asks you what is right.", c.noted(e), o.Entries[0]))
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
	made, err := t.entriesOf(same.event)
	if err != nil {
		return nil, err
	}
	return nil, t.answered(e, keys, int64(len(made)))
}

// answered withdraws the questions that e answers about an event of some entries.
func (t *tx) answered(e event, keys []string, made int64) error {
	for n := range made {
		asked, err := t.earlier(e.kind, questionID(e.SameAs, n, keys[n%int64(len(keys))]))
		if err != nil {
			return err
		}
		if asked == nil {
			continue
		}
		entries, err := t.entriesOf(asked.event)
		if err != nil {
			return err
		}
		for _, id := range entries {
			entry, err := t.entry(id)
			if err != nil {
				return err
			}
			if entry.State != viewing.StateHeld {
				continue
			}
			c := amendment{Amendment: viewing.Amendment{Drop: true, Reason: "It was marked anew."}, source: e.source}
			if err := t.withdraw(c, amendable{id: id, state: entry.State}); err != nil {
				return err
			}
		}
	}
	return nil
}
