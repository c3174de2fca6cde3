package scan

import (
	"github.com/filmspool/filmspool/queue/viewing"
)

// Fate is what would become of one item of a viewing, in the queue's words.
type Fate struct {
	State  viewing.State // pending, held or dropped
	Reason string        // why, one word; "" for pending
	Why    string        // the same, one sentence
}
