package account

import "time"

// Silence is a pause in which what is watched is dropped.
type Silence struct {
	Account     string
	From, Until time.Time // Until is not part of it
}
