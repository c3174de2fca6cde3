package control

import (
	"time"

	"github.com/filmspool/filmspool/queue/account"
)

// HealthAsked asks how things stand.
type HealthAsked struct {
	// Language is the one that somebody wants, as Accept-Language or a locale has it;
	// English where it is empty, or not known.
	Language string `json:"language,omitempty"`
	// Check has everything looked at now, also what costs seconds.
	Check bool `json:"check,omitempty"`
}

// Health is how things stand, in words of one language.
type Health struct {
	State   account.State `json:"state"`   // ok, offline, paused or attention
	Summary string        `json:"summary"` // one sentence
	// Problems are all that there are, the worst first, also those that another causes.
	Problems []Problem `json:"problems"`
}

// Severity is how much a [Problem] hurts.
type Severity string

// The severities, the worst first.
const (
	NeedsYou Severity = "needs you" // something does not move until a person does
	Soon     Severity = "soon"      // it will stop, or comfort is lost
	Note     Severity = "note"      // good to know, and there is something to do about it
)

// Trouble is what a part of the program says of itself, and what package health
// makes a [Problem] of.
type Trouble struct {
	Code   string    // as in the table of package health
	About  string    // the account, library or site; "" where there is but one
	Detail string    // what is known more, in English; several things stand in a line each
	Hint   string    // what to do, where the part knows better than the table
	Count  int64     // how many, where that is part of it
	Since  time.Time // zero where nobody knows
}

// Problem is a state that a person can do something about. Package health finds
// them, and its table says what there are.
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
	About string `json:"about,omitempty"`
}

// What became of a [NoticeTest].
const (
	NoticeSent   = "sent"
	NoticeFailed = "failed"
	NoticeOff    = "off" // it cannot work here, and is not used
)

// NoticeTest is what became of a test by one way.
type NoticeTest struct {
	Way    string `json:"way"`              // desktop, command or webhook
	State  string `json:"state"`            // sent, failed or off
	Detail string `json:"detail,omitempty"` // why, where it was not sent
	Hint   string `json:"hint,omitempty"`   // what mends that
}

// Act is what mends a problem.
type Act struct {
	// Text says what to do, in words.
	Text string `json:"text"`
	// Command is what to type; nil where it is not mended in this program.
	Command *string `json:"command"`
	// Page is where on the daemon's page it is mended; "" for nowhere.
	Page string `json:"page,omitempty"`
}
