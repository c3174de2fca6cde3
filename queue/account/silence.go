package account

import "time"

// Silence is a pause in which what is watched is dropped.
type Silence struct {
	Account     string
	From, Until time.Time // Until is not part of it
}

// Why says what the user wanted, of a viewing that ended in it.
func (s Silence) Why() string {
	const form = "2006-01-02 15:04:05"
	return "Ignored by a pause: it was watched from " + s.From.Local().Format(form) + " to " + s.Until.Local().Format(form) +
		", which you wanted dropped. It is kept for the record, and not sent."
}
