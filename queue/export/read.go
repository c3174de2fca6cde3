package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The bounds of what is held in memory.
const (
	Page      = 200      // lines at once
	maxLine   = 16 << 20 // bytes of one line
	pageBytes = 4 << 20
)

// Line is a record that was read and checked.
type Line struct {
	Record
	Kind string        // of the source
	Seen viewing.Event // the event; nothing of a trimmed one
	Body []byte        // the event as it is kept; nil for a trimmed one
	Sum  []byte        // its SHA-256
}

// Reader reads lines.
type Reader struct {
	Number int64 // of the line that was read last, from 1
	lines  *bufio.Scanner
}

// NewReader reads from r.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	return &Reader{lines: lines}
}

// Read reads the next lines, up to [Page]; none is the end. With an error the
// lines before it are whole. The error wraps [viewing.ErrInvalid] when a line is
// not one of an export.
func (r *Reader) Read() (page []Line, err error) {
	for size := 0; len(page) < Page && size < pageBytes; size += len(r.lines.Bytes()) {
		if !r.lines.Scan() {
			return page, r.end()
		}
		r.Number++
		line, err := readLine(r.lines.Bytes())
		if err != nil {
			return page, err
		}
		page = append(page, line)
	}
	return page, nil
}

// end says why there are no more lines.
func (r *Reader) end() error {
	err := r.lines.Err()
	if err == nil {
		return nil
	}
	r.Number++
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%w: the line is longer than %d bytes", viewing.ErrInvalid, maxLine)
	}
	return fmt.Errorf("read: %w", err)
}

// readLine reads and checks one line.
func readLine(line []byte) (Line, error) {
	var a Line
	if err := json.Unmarshal(line, &a.Record); err != nil {
		return a, notRecord("", err)
	}
	a.Kind = viewing.SourceKind(a.Source)
	switch {
	case a.V == 0:
		return a, &lineError{}
	case a.V != Version:
		return a, fmt.Errorf("%w: it is of version %d, and this program reads %d", viewing.ErrInvalid, a.V, Version)
	case a.Kind == "":
		return a, &viewing.FieldError{Field: "source", Problem: "is missing"}
	case a.EventID == "":
		return a, &viewing.FieldError{Field: "eventId", Problem: "is missing"}
	case a.Event == nil:
		return a, a.readName()
	default:
		return a, a.readEvent()
	}
}

// notRecord says that a line, or what it holds at a place, is not what an
// export writes. The decoder's own words are for programmers.
func notRecord(place string, err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return &viewing.FieldError{Field: place + kind.Field, Problem: "is not of the kind that belongs there"}
	}
	return &lineError{}
}

// lineError is a line that no export has written. It wraps [viewing.ErrInvalid].
type lineError struct{}

// Error says so.
func (*lineError) Error() string { return "it is not a line of an export" }

// Unwrap makes it a [viewing.ErrInvalid].
func (*lineError) Unwrap() error { return viewing.ErrInvalid }

// readName reads a line that holds only an event's name.
func (a *Line) readName() (err error) {
	a.Sum, err = hex.DecodeString(a.Content)
	if err != nil || len(a.Sum) != sha256.Size || len(a.Entries) > 0 {
		return &viewing.FieldError{Field: "content", Problem: "must be the event's SHA-256, without entries"}
	}
	return nil
}

// readEvent reads a line that holds an event and its entries.
func (a *Line) readEvent() error {
	var v viewing.Event
	if err := json.Unmarshal(a.Event, &v); err != nil {
		return notRecord("event.", err)
	}
	if v.EventID != a.EventID {
		return &viewing.FieldError{Field: "eventId", Problem: "is not the event's own"}
	}
	if err := v.Validate(); err != nil {
		return err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%w: event: %w", viewing.ErrInvalid, err)
	}
	content := sha256.Sum256(body)
	a.Seen, a.Body, a.Sum = v, body, content[:]
	type name struct {
		account string
		part    int
	}
	seen := map[name]bool{}
	for _, e := range a.Entries {
		if err := e.check(v); err != nil {
			return err
		}
		if seen[name{e.Account, e.Part}] {
			return &viewing.FieldError{Field: "entries.part", Problem: fmt.Sprintf("%d is there twice", e.Part)}
		}
		seen[name{e.Account, e.Part}] = true
	}
	return nil
}

// check holds an entry against the field rules, as a part of its event.
func (e Entry) check(v viewing.Event) error {
	v.Media, v.List = nil, e.List
	if e.Media != nil {
		v.Media = []viewing.Media{*e.Media}
	}
	if v.Kind == viewing.KindViewing {
		v.WatchedAt = e.WatchedAt
	}
	switch {
	case !e.State.Valid():
		return &viewing.FieldError{Field: "entries.state", Problem: fmt.Sprintf("%q is not a state", e.State)}
	case e.Kind != v.Kind:
		return &viewing.FieldError{Field: "entries.kind", Problem: "is not the event's"}
	case e.Account == "":
		return &viewing.FieldError{Field: "entries.account", Problem: "is missing"}
	case e.Part < 0 || e.Attempts < 0 || e.Revision < 0:
		return &viewing.FieldError{Field: "entries", Problem: "must not count below 0"}
	}
	return v.Validate()
}
