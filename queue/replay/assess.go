package replay

import (
	"time"

	"github.com/filmspool/filmspool/queue/account"
)

// assess puts the run's state into words for a person. The first thing that
// keeps entries back and needs the user comes first.
func (r *run) assess() Health {
	h := Health{State: account.OK, Pause: r.record.Paused}
	switch {
	case r.storage.failing():
		h.State, h.Reason = account.Attention, r.storage.problem
		h.Hint = "free space on the disk that holds the state folder"
		h.NextTry = r.storage.retryAt
	case !r.loaded:
		return r.Health()
	case r.record.Paused != "" && !ours(r.record.Paused):
		h = r.standstill(h)
	case r.service == nil:
		h.State, h.Reason, h.Hint = account.NoKey, "there is no key for this account yet", "filmspool login"
	case r.record.Paused != "":
		h = r.standstill(h)
		h.NextTry = r.probeAt()
	case r.gate.troubled() || time.Now().Before(r.gate.hold):
		h.State, h.Reason, h.Hint = account.Offline, r.problem, r.hint
		h.NextTry = r.alarm(time.Now())
	}
	return h
}

// standstill is the health of a paused account.
func (r *run) standstill(h Health) Health {
	h.State, h.Reason, h.Hint, h.Since = account.Attention, r.record.Problem, r.record.Hint, r.record.PausedSince
	if r.record.Paused == PausedUser {
		h.State = account.Paused
	}
	return h
}
