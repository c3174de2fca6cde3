package replay

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/replay/doubt"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	resendFirst = 30 * time.Second    // before the first resend with the same Idempotency-Key
	resendFor   = 12 * time.Hour      // how long a service is trusted to remember a key
	lookFor     = 30 * 24 * time.Hour // how long an entry is looked for that the user must settle
	maxResends  = 3                   // requests of an entry that may each be recorded
)

// resends reports whether an entry in doubt is sent again with the same
// Idempotency-Key, instead of being looked for.
func (l *Loop) resends(d queue.Doubt, now time.Time) bool {
	age := now.Sub(d.Since)
	return l.idempotent && age >= 0 && age < resendFor
}

// sameKey sends an entry again with the same Idempotency-Key.
func (l *look) sameKey(d queue.Doubt) error {
	return l.resolve(queue.Resolution{
		Doubt: d, State: viewing.StatePending, Resend: true,
		Reason: "Sent again with the same Idempotency-Key, which the service is trusted to record once.",
	})
}

// unsettled has the user's setting decide about an entry that reading back
// cannot settle. What another person's key says settles nothing either.
func (l *look) unsettled(d queue.Doubt, why string, readings json.RawMessage, taken int) error {
	if l.early[d.Entry.ID] {
		return nil // reading back has only begun
	}
	m := queue.Resolution{Doubt: d, State: viewing.StateInDoubt, Readings: readings, Taken: taken}
	setting := l.inDoubt
	if l.idempotent || l.stranger(d) || setting == Resend && d.Entry.Attempts >= maxResends {
		setting = Hold
	}
	switch setting {
	case Resend:
		m.State = viewing.StatePending
		m.Reason = fmt.Sprintf("Read back: %s. It is sent again because in_doubt is resend, and may be recorded twice.", why)
	case Assume:
		m.State = viewing.StateDelivered
		m.Reason = fmt.Sprintf("Read back: %s. It is taken as delivered because in_doubt is delivered, and may be missing.", why)
	default:
		m.Reason = fmt.Sprintf("Read back: %s. It waits for you.", why)
		if now := time.Now(); now.Sub(d.At).Abs() < lookFor {
			m.LookAt = now.Add(doubt.Seldom)
		}
	}
	return l.resolve(m)
}
