package control

import (
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
)

// Watch asks what is new, beyond what is known already.
type Watch struct {
	// After is [News.Last] of the answer before; 0 for all that the daemon remembers,
	// and -1 for what comes from now on, which is answered at once.
	After   int64  `json:"after"`
	Summary string `json:"summary"`
}

// News is what is new. Numbers begin anew with each daemon.
type News struct {
	Last    int64         `json:"last"` // number of the last change that is told
	State   account.State `json:"state"`
	Summary string        `json:"summary"`
	Hint    string        `json:"hint,omitempty"`
	// Entries were added, or came into another state, in this order. One can be in it
	// several times, each time in the state that it came into.
	Entries []entry.Entry `json:"entries"`
	// Missed is how many changes before these nobody remembers.
	Missed int64 `json:"missed"`
}
