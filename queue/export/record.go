package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Version is the form of the lines.
const Version = 1

// Record is one line of an export: an event with what became of it.
type Record struct {
	V      int    `json:"v"`      // 1
	Source string `json:"source"` // its kind alone when only that is known
	// EventID names the event, also when only its name is left.
	EventID     string    `json:"eventId"`
	CommittedAt time.Time `json:"committedAt,omitzero"`
	// Event is the [viewing.Event] as it was committed; nil when the event
	// itself was trimmed and only its name is kept, with Content.
	Event   json.RawMessage `json:"event,omitempty"`
	Content string          `json:"content,omitempty"` // SHA-256 of a trimmed event, hexadecimal
	Entries []Entry         `json:"entries,omitempty"`
}

// Entry is one entry of a [Record].
type Entry struct {
	Account   string          `json:"account"`
	Part      int             `json:"part"`
	Kind      viewing.Kind    `json:"kind"`
	State     viewing.State   `json:"state"`
	Reason    string          `json:"reason,omitempty"`
	Media     *viewing.Media  `json:"media,omitempty"`
	List      *viewing.List   `json:"list,omitempty"`
	Priority  *int            `json:"priority,omitempty"`
	WatchedAt viewing.Instant `json:"watchedAt,omitzero"`
	Class     viewing.Class   `json:"class,omitempty"`
	Attempts  int             `json:"attempts,omitempty"`
	Revision  int             `json:"revision,omitempty"`
	RemoteID  string          `json:"remoteId,omitempty"`
	CreatedAt time.Time       `json:"createdAt"`
	SettledAt time.Time       `json:"settledAt,omitzero"`
}

// Arrives is the state in which an entry comes in, and why.
func (e Entry) Arrives() (state viewing.State, reason, why string) {
	why = "Imported from an export, where it was " + e.State.Words() + "."
	switch e.State {
	case viewing.StatePending:
		return viewing.StateHeld, viewing.ReasonImported, why + " Held, as the queue it comes from may be sending it."
	case viewing.StateSending:
		return viewing.StateInDoubt, "it was being sent when it was exported", why
	default:
		return e.State, e.Reason, why
	}
}

// Writer writes records, one a line.
type Writer struct {
	Lines   int64 // written so far
	out     *bufio.Writer
	encoder *json.Encoder
}

// NewWriter writes to w; the last of it with [Writer.Flush].
func NewWriter(w io.Writer) *Writer {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &Writer{out: out, encoder: encoder}
}

// Write writes records.
func (w *Writer) Write(records []Record) error {
	for _, r := range records {
		if err := w.encoder.Encode(r); err != nil {
			return fmt.Errorf("write line: %w", err)
		}
		w.Lines++
	}
	return nil
}

// Flush writes what is left in memory.
func (w *Writer) Flush() error { return w.out.Flush() }
