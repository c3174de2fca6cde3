package queue

import (
	"database/sql"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// naming is a new identity of an entry that has not begun to leave.
type naming struct {
	entry    int64
	state    viewing.State // in which it stands, and why
	reason   string
	media    viewing.Media
	source   string        // of its event
	original viewing.Event // its event, for the rules
}

// name gives an entry its new identity, whoever has found it out: its source
// or the service. It breaks the entry's lease, for whoever has it in hand must
// not send the old one. What is to be looked at whenever an entry gets its key
// belongs here.
func (t *tx) name(n naming) error {
	media, key, err := writeMedia(n.original.Kind, &n.media)
	if err != nil {
		return err
	}
	state, reason, err := t.decideAgain(n)
	if err != nil {
		return err
	}
	_, err = t.Exec(`UPDATE entries SET media = ?, item_key = ?, state = ?, reason = ?, revision = revision + 1,
		lease = 0, lease_until = 0, settled_at = ? WHERE id = ?`,
		media, key, string(state), reason, sql.NullInt64{Int64: t.now, Valid: state.Finished()}, n.entry)
	if err != nil {
		return err
	}
	t.pass(n.entry, n.state, state)
	return t.meet(n.entry, false)
}

// decideAgain asks the rules where the new identity matters: an entry that was
// held for want of one, or that has lost it. Entries held for another reason
// stay held, and what a person has let go is not held again.
func (t *tx) decideAgain(n naming) (viewing.State, string, error) {
	unresolved := n.state == viewing.StateHeld && n.reason == viewing.ReasonUnresolved
	if unresolved != n.media.Identified() {
		return n.state, n.reason, nil
	}
	settings, err := t.settingsFor(n.entry)
	if err != nil {
		return "", "", err
	}
	e, err := t.entry(n.entry)
	if err != nil {
		return "", "", err
	}
	d, err := t.judge(settings, e.Account, n.source, n.original, &n.media)
	if err != nil {
		return "", "", err
	}
	for _, sentence := range d.Steps[1:] { // the account stays as it is
		if err := t.step(n.entry, "rule", sentence); err != nil {
			return "", "", err
		}
	}
	return d.State, d.Reason, nil
}

// settingsFor are the settings that still count for an entry: what a person
// has decided about goes by no filter any more.
func (t *tx) settingsFor(entry int64) (rules.Settings, error) {
	var one int64
	decided, err := t.Find("SELECT 1 FROM steps WHERE entry = ? AND what IN ('user', ?)", []any{entry, edited}, &one)
	if decided {
		return rules.Settings{Grace: t.settings.Grace}, err
	}
	return t.settings, err
}
