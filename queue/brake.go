package queue

import (
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// judge asks the rules about an item of an event, with what they cannot know by
// themselves. Found says that its identity was looked up.
func (t *tx) judge(s rules.Settings, account, source string, v viewing.Event, m *viewing.Media, found bool) (d rules.Decision, err error) {
	if s.Silences, err = t.brake.Silences(t.Tx, account); err != nil {
		return d, err
	}
	if s.Approve == rules.ApproveUncertain && !found {
		s.Approve = rules.ApproveNone
	}
	d = rules.Decide(s, source, v, m, time.UnixMilli(t.now))
	if s.Approve != rules.ApproveFirst || d.Reason != viewing.ReasonApprove {
		return d, nil
	}
	known, err := t.knowsSeries(account, m)
	if known {
		s.Approve = rules.ApproveNone
		d = rules.Decide(s, source, v, m, time.UnixMilli(t.now))
	}
	return d, err
}

// selectOfSeries finds an entry about a series that nobody has dropped, by the
// indexes entries_unfinished and entries_settled.
const selectOfSeries = `SELECT 1 FROM entries WHERE account = ?1 AND item_key BETWEEN ?2 AND ?3 AND item_key <> ''
		AND (state = 'pending' OR state = 'sending' OR state = 'in_doubt')
	UNION ALL SELECT 1 FROM entries WHERE account = ?1 AND item_key BETWEEN ?2 AND ?3 AND item_key <> ''
		AND (state = 'held' OR state = 'delivered' OR state = 'rejected' OR state = 'dropped' OR state = 'merged') AND state <> 'dropped' LIMIT 1`

// knowsSeries reports whether the series of an episode was watched before.
func (t *tx) knowsSeries(account string, m *viewing.Media) (bool, error) {
	if !m.Placed() {
		return false, nil
	}
	series := fmt.Sprint("episode:", m.Show.IDs.TMDB)
	var one int64
	return t.Find(selectOfSeries, []any{account, series + ":", series + ";"}, &one) // ; comes after :
}

// stem holds what came as a wave, as far as it has not begun to leave.
func (t *tx) stem(e event, first int64, parts int) error {
	o, ok := rules.MomentOf(e.source, e.Event)
	if !ok || t.settings.Wave == 0 {
		return nil
	}
	o.Entry, o.Parts = first, parts
	wave, err := t.brake.Wave(t.Tx, t.settings.Wave, o)
	if err != nil {
		return err
	}
	why := fmt.Sprintf("Held as a wave: %s told of more than %d different items that ended within one minute.", e.source, t.settings.Wave)
	for _, id := range wave {
		was, err := t.entry(id)
		if err != nil {
			return err
		}
		if err := t.move(was, viewing.StateHeld, viewing.ReasonWave); err != nil {
			return err
		}
		if err := t.step(id, string(viewing.StateHeld), why); err != nil {
			return err
		}
	}
	return nil
}
