package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Page is how many records are held in memory at once.
const Page = 200

// Version is the form of the lines.
const Version = 1

// Record is one line of an export: an event with what became of it.
type Record struct {
	V           int             `json:"v"` // 1
	Source      string          `json:"source"`
	EventID     string          `json:"eventId"`
	CommittedAt time.Time       `json:"committedAt"`
	Event       json.RawMessage `json:"event"` // the [viewing.Event] as it was committed
	Entries     []Entry         `json:"entries,omitempty"`
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
