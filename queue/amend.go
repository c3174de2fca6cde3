package queue

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// amendment is one correction of an event, with what it corrects.
type amendment struct {
	viewing.Amendment
	event    int64
	first    int64 // of the entries that were made of it
	source   string
	original viewing.Event // with the new media, when it brings any
}

// amend corrects an earlier event. Entries that have not begun to leave are
// changed; for the others, for those that the event is only a further sighting
// of, and for those that another source saw too, the correction is noted.
func (t *tx) amend(kind string, a viewing.Amendment) error {
	c := amendment{Amendment: a}
	var body []byte
	known, err := t.Find("SELECT v.id, coalesce(v.entry, 0), v.source, v.body FROM dedupe JOIN events AS v ON v.id = dedupe.event WHERE key = ?",
		[]any{schema.EventKey(kind, a.EventID)}, &c.event, &c.first, &c.source, &body)
	if err != nil || !known {
		return err
	}
	if err := json.Unmarshal(body, &c.original); err != nil || c.original.EventID == "" {
		return nil // lost to damage: there is nothing to compare with
	}
	if err := c.check(); err != nil {
		return err
	}
	entries, err := t.entriesOf(c.event)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := t.amendEntry(c, entry); err != nil {
			return fmt.Errorf("amend entry %d: %w", entry, err)
		}
	}
	return nil
}

// check holds the new media against the field rules of the event's kind.
func (c *amendment) check() error {
	if c.Media == nil {
		return nil
	}
	if len(c.Media) != len(c.original.Media) {
		problem := fmt.Sprintf("must name %d items, as the event did", len(c.original.Media))
		return &viewing.FieldError{Field: "media", Problem: problem}
	}
	c.original.Media = c.Media
	c.original.Origin.Learn(c.Origin)
	return c.original.Validate()
}

// amendable is what an amendment needs to know of an entry.
type amendable struct {
	id, event int64
	part      int
	state     viewing.State
	reason    string
	key       string
	media     sql.NullString
	edited    bool // by the user, whose word wins
	shared    bool // another source saw it too
}

// amendEntry corrects one entry.
func (t *tx) amendEntry(c amendment, id int64) error {
	e := amendable{id: id}
	found, err := t.Find(`SELECT event, part, state, reason, item_key, media,
			EXISTS (SELECT 1 FROM steps WHERE entry = entries.id AND what = ?1),
			item_key <> '' AND EXISTS (SELECT 1 FROM witnesses AS w JOIN events AS v ON v.id = w.event WHERE w.entry = entries.id AND v.source <> ?3)
		FROM entries WHERE id = ?2`,
		[]any{edited, id, c.source}, &e.event, &e.part, &e.state, &e.reason, &e.key, &e.media, &e.edited, &e.shared)
	if err != nil || !found {
		return err
	}
	open := e.event == c.event && (e.state == viewing.StatePending || e.state == viewing.StateHeld)
	switch {
	case open && e.shared:
		return t.note(id, c.sentence()+" But another source saw it too, so it stays as it is.")
	case open && c.Drop:
		return t.withdraw(c, e)
	case open && c.Class != "":
		return t.reclass(c, e)
	case open && c.NotBefore != 0:
		return t.postpone(c, e)
	case open && c.Media != nil && !e.edited:
		return t.correct(c, e)
	case c.NotBefore != 0:
		return nil // it left in time, or a person has it
	default:
		return t.note(id, c.noted(e))
	}
}

// noted tells a person what the source wants of an entry that stays as it is.
func (c amendment) noted(e amendable) string {
	another := c.Media != nil && c.Media[e.part%len(c.Media)].Key() != e.key
	if (c.Drop || another) && e.event == c.event && e.state == viewing.StateDelivered {
		return fmt.Sprintf("Noted from %s: %s It was sent before that. To take it back: filmspool queue undo %d", c.source, c.Reason, e.id)
	}
	return "Noted from " + c.source + ": " + c.Reason
}

// sentence tells a person what the source wants.
func (c amendment) sentence() string {
	verb := "Put off"
	switch {
	case c.Drop:
		verb = "Withdrawn"
	case c.Media != nil:
		verb = "Corrected"
	case c.Class != "":
		verb = "Taken for " + string(c.Class)
	}
	return verb + " by " + c.source + ": " + c.Reason
}

// note notes an amendment that changes nothing, once.
func (t *tx) note(entry int64, sentence string) error {
	var one int64
	noted, err := t.Find("SELECT 1 FROM steps WHERE entry = ? AND detail = ? AND what IN ('amended', 'noted')",
		[]any{entry, sentence}, &one)
	if err != nil || noted {
		return err
	}
	return t.step(entry, "noted", sentence)
}

// withdraw drops an entry.
func (t *tx) withdraw(c amendment, e amendable) error {
	_, err := t.Exec(`UPDATE entries SET state = 'dropped', reason = ?, settled_at = ?, lease = 0, lease_until = 0
		WHERE id = ?`, c.Reason, t.now, e.id)
	if err != nil {
		return err
	}
	t.pass(e.id, e.state, viewing.StateDropped)
	if err := t.step(e.id, "amended", c.sentence()); err != nil {
		return err
	}
	return t.dropItems(e.id)
}

// reclass asks the rules again about an entry that waits to leave. What a
// person has decided about stays as it is.
func (t *tx) reclass(c amendment, e amendable) error {
	var one int64
	decided, err := t.Find("SELECT 1 FROM steps WHERE entry = ? AND what = 'user'", []any{e.id}, &one)
	if err != nil {
		return err
	}
	if decided || e.state != viewing.StatePending && e.reason != viewing.ReasonWave {
		return t.note(e.id, c.noted(e))
	}
	v := c.original
	v.Class = c.Class
	entry, err := t.entry(e.id)
	if err != nil {
		return err
	}
	d, err := t.judge(t.settings, entry.Account, c.source, v, entry.Media)
	if err != nil {
		return err
	}
	if err := t.step(e.id, "amended", c.sentence()); err != nil || d.State == viewing.StatePending {
		return err
	}
	if err := t.step(e.id, "rule", d.Why()); err != nil {
		return err
	}
	return t.move(entry, d.State, d.Reason)
}

// postpone says anew when an entry may leave.
func (t *tx) postpone(c amendment, e amendable) error {
	_, err := t.Exec(`UPDATE entries SET next_at = max(?1, created_at + ?2), lease = 0, lease_until = 0 WHERE id = ?3`,
		c.NotBefore, t.settings.Grace.Milliseconds(), e.id)
	if err != nil {
		return err
	}
	t.nudge = true
	return t.step(e.id, "amended", c.sentence())
}

// correct gives an entry its new identity.
func (t *tx) correct(c amendment, e amendable) error {
	m, correction, err := t.corrected(&c.Media[e.part%len(c.Media)])
	if err != nil {
		return err
	}
	media, _, err := writeMedia(c.original.Kind, m)
	if err != nil || media == e.media {
		return err
	}
	if err := t.step(e.id, "amended", c.sentence()); err != nil {
		return err
	}
	err = t.name(naming{entry: e.id, state: e.state, reason: e.reason, media: *m, source: c.source, original: c.original})
	if err != nil || correction == nil {
		return err
	}
	if err := t.step(e.id, stepCorrected, correction.Said()); err != nil {
		return err
	}
	return t.credit(e.id, correction.Told)
}
