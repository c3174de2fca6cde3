package queue

import (
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// judge asks the rules about an item of an event, with the account's silences.
func (t *tx) judge(s rules.Settings, account, source string, v viewing.Event, m *viewing.Media) (d rules.Decision, err error) {
	if s.Silences, err = t.brake.Silences(t.Tx, account); err != nil {
		return d, err
	}
	return rules.Decide(s, source, v, m, time.UnixMilli(t.now)), nil
}

// stem holds what came as a wave, as far as it has not begun to leave.
func (t *tx) stem(e event, first int64, parts int) error {
	wave, err := t.brake.Wave(t.Tx, t.settings.Wave, e.source, e.Event, first, parts)
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
