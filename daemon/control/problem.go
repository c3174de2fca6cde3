package control

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Severity is how much a [Problem] hurts.
type Severity string

// The severities, the worst first.
const (
	NeedsYou Severity = "needs you" // something does not move until a person does
	Soon     Severity = "soon"      // it will stop, or comfort is lost
	Note     Severity = "note"      // good to know, and there is something to do about it
)

// Problem is a state that a person can do something about. A part of the program that has one
// names its code and what is special; package health adds the rest by its table, and writes
// the texts in a language.
type Problem struct {
	Code     string     `json:"code"` // lower case, with hyphens: "key-refused"
	Severity Severity   `json:"severity"`
	Text     string     `json:"text"` // one sentence
	Why      string     `json:"why"`  // why it matters, one sentence
	Act      Act        `json:"act"`
	Cause    *string    `json:"cause"` // the code of the problem that this one comes from; nil for none
	Since    *time.Time `json:"since"` // nil where nobody knows
	// About is what it is about where there may be several: an account, a source, a
	// notice.
	About string           `json:"about,omitempty"`
	Count int64            `json:"count,omitempty"` // how many, where that is part of it
	What  *viewing.Message `json:"what,omitempty"`  // what is known more
	After time.Duration    `json:"-"`               // how long it must last before it is told
}

// Act is what mends a problem: a verb and what it is done to.
type Act struct {
	Verb   string `json:"verb,omitempty"`
	Target string `json:"target,omitempty"`
	Text   string `json:"text"` // what to do, in words
	// Command is what to type; nil where it is not mended by this program.
	Command *string `json:"command"`
	// Page is where on the daemon's page it is mended; "" for nowhere.
	Page string `json:"page,omitempty"`
}

// The verbs that the page has a button for.
const (
	ActRetry = "retry"
	ActSeen  = "seen"
)

// What became of a [NoticeTest].
const (
	NoticeSent   = "sent"
	NoticeFailed = "failed"
	NoticeOff    = "off" // it cannot work here, and is not used
)

// NoticeTest is what became of a test by one way.
type NoticeTest struct {
	Way    string          `json:"way"`             // desktop or webhook
	State  string          `json:"state"`           // sent, failed or off
	Detail viewing.Message `json:"detail,omitzero"` // why, where it was not sent
}
