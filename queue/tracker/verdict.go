package tracker

import "time"

// Fate is what one request means for the entry behind it.
type Fate string

// The fates.
const (
	// Offline: the service was not reached. No attempt is counted.
	Offline Fate = "offline"
	// Delivered: the service has it.
	Delivered Fate = "delivered"
	// Rejected: the service refuses this entry, in its own words.
	Rejected Fate = "rejected"
	// Refused: the key, or something on the way, is refused. The account pauses.
	Refused Fate = "refused"
	// Later: the service asks to come back, after RetryAfter.
	Later Fate = "later"
	// Unproven: whatever answers there has not shown that it is the service.
	// The account pauses.
	Unproven Fate = "unproven"
	// Lacking: the service has no such operation. Of [ListItems] only, and not
	// without proof of the address.
	Lacking Fate = "lacking"
	// InDoubt: it may have been recorded.
	InDoubt Fate = "in_doubt"
)

// Verdict is what became of one request.
type Verdict struct {
	Fate Fate
	// Sent reports that the request left whole, or may have.
	Sent bool
	// Status is the answer's, 0 without one.
	Status int
	// Code and Message are the service's, bounded and without the key.
	Code, Message string
	// RetryAfter holds for the whole account; set for [Later] only, at most a day.
	RetryAfter time.Duration
	// ListID is the id of the list that was created.
	ListID string
	// Proves reports that this answer could only come from the service, so
	// that the address is proven from now on.
	Proves bool
	// Problem is one plain sentence, empty only when delivered.
	Problem string
	// Hint is a command to type, where a person can act.
	Hint string
}

// What a [Verdict] says of a refused key. It is kept with the pause, so whoever tells
// the reasons apart tells them by the sentence.
const (
	KeyRefused  = "The service does not accept the key."
	KeyReadOnly = "The service knows the key but does not let it write: a secret key (sk_) with the right to write is needed."
)
