package queue

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/filmspool/filmspool/queue/schema"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Imported is what an import did, or would do.
type Imported struct {
	Lines     int64 `json:"lines"`
	Events    int64 `json:"events"`    // new ones
	Entries   int64 `json:"entries"`   // of new events
	Held      int64 `json:"held"`      // of those: had not left, so they wait for the user
	InDoubt   int64 `json:"inDoubt"`   // of those: may have left
	Known     int64 `json:"known"`     // lines that are here already
	Conflicts int64 `json:"conflicts"` // lines whose event id is here with other content; left out
}

// The bounds of what an import holds in memory.
const (
	maxLine         = 16 << 20 // bytes of one line
	importPage      = 200      // lines of one transaction
	importPageBytes = 4 << 20
)

// Import takes the lines that [Store.Export] wrote. An event that is known
// here already is passed over, so importing again does no harm. Delivered
// entries stay delivered and are never sent. What had not left is held as
// imported: the other queue may be sending it. What may have left is in doubt.
//
// Lines are taken in steps; a line that cannot be read, an error wrapping
// [viewing.ErrInvalid], ends the import after those before it. A dry run
// changes nothing.
func (s *Store) Import(ctx context.Context, r io.Reader, dry bool) (Imported, error) {
	var sum Imported
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for more := true; more; {
		page, number, err := readPage(lines, sum.Lines)
		more = len(page) > 0 && err == nil
		if kept := s.importPage(ctx, page, dry, &sum); kept != nil {
			return sum, fmt.Errorf("import up to line %d: %w", number, kept)
		}
		if err != nil {
			return sum, fmt.Errorf("import line %d: %w", number, err)
		}
	}
	return sum, nil
}

// arrival is one line, ready to be written.
type arrival struct {
	Record
	kind    string
	body    []byte // nil for a trimmed event
	content []byte
	sameAs  string
	inList  string
}

// readPage reads the next lines, and the number of the last one, counted on
// from those before. With an error the lines before it are whole.
func readPage(lines *bufio.Scanner, before int64) (page []arrival, number int64, err error) {
	size := 0
	for len(page) < importPage && size < importPageBytes {
		if !lines.Scan() {
			if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
				return page, before + 1, fmt.Errorf("%w: the line is longer than %d bytes", viewing.ErrInvalid, maxLine)
			} else if err != nil {
				return page, before + 1, fmt.Errorf("read: %w", err)
			}
			return page, before, nil
		}
		before++
		a, err := readRecord(lines.Bytes())
		if err != nil {
			return page, before, err
		}
		size += len(lines.Bytes())
		page = append(page, a)
	}
	return page, before, nil
}

// readRecord reads and checks one line.
func readRecord(line []byte) (arrival, error) {
	var a arrival
	if err := json.Unmarshal(line, &a.Record); err != nil {
		return a, notRecord("", err)
	}
	a.kind = viewing.SourceKind(a.Source)
	switch {
	case a.V != recordVersion:
		return a, fmt.Errorf("%w: it is of version %d, and this program reads %d", viewing.ErrInvalid, a.V, recordVersion)
	case a.kind == "":
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
func (a *arrival) readName() (err error) {
	a.content, err = hex.DecodeString(a.Content)
	if err != nil || len(a.content) != sha256.Size || len(a.Entries) > 0 {
		return &viewing.FieldError{Field: "content", Problem: "must be the event's SHA-256, without entries"}
	}
	return nil
}

// readEvent reads a line that holds an event and its entries.
func (a *arrival) readEvent() error {
	var v viewing.Viewing
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
	a.body, a.content, a.sameAs, a.inList = body, content[:], v.SameAs, v.InList
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
func (e RecordEntry) check(v viewing.Viewing) error {
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

// importPage writes some lines in one transaction.
func (s *Store) importPage(ctx context.Context, page []arrival, dry bool, sum *Imported) error {
	if len(page) == 0 {
		return nil
	}
	after := *sum
	err := s.writeDry(ctx, dry, func(t *tx) error {
		after = *sum // the writer may have to begin again
		for _, a := range page {
			after.Lines++
			if err := t.importRecord(a, &after); err != nil {
				return fmt.Errorf("event %s: %w", a.EventID, err)
			}
		}
		return nil
	})
	if err == nil {
		*sum = after
	}
	return err
}

// importRecord writes one event, unless it is known.
func (t *tx) importRecord(a arrival, sum *Imported) error {
	was, err := t.earlier(a.kind, a.EventID)
	switch {
	case err != nil:
		return err
	case was != nil && bytes.Equal(was.content, a.content):
		sum.Known++
		return nil
	case was != nil:
		sum.Conflicts++
		return nil
	}
	sum.Events++
	event, first := int64(0), sql.NullInt64{}
	if a.body != nil {
		if event, first, err = t.importEvent(a, sum); err != nil {
			return err
		}
	}
	_, err = t.Exec("INSERT INTO dedupe (key, content, event, entry) VALUES (?, ?, ?, ?)",
		schema.EventKey(a.kind, a.EventID), a.content, event, first)
	return err
}

// importEvent writes an event with its entries, or as a witness of earlier
// ones that are here.
func (t *tx) importEvent(a arrival, sum *Imported) (event int64, first sql.NullInt64, err error) {
	e := sighting{Viewing: viewing.Viewing{EventID: a.EventID, SameAs: a.sameAs}, source: a.Source, kind: a.kind, body: a.body}
	event, err = t.insertEvent(e, len(a.Entries), a.CommittedAt.UnixMilli())
	if err != nil {
		return event, first, err
	}
	var entries []int64
	if len(a.Entries) == 0 {
		entries, err = t.importWitness(e, event)
	}
	for _, e := range a.Entries {
		id, err := t.importEntry(e, event, sum)
		if err != nil {
			return event, first, err
		}
		entries = append(entries, id)
		if a.inList == "" {
			continue
		}
		list, err := t.listNamed(a.kind, a.inList)
		if err == nil && list != nil && list.account == e.Account {
			err = t.waitFor(id, list.id)
		}
		if err != nil {
			return event, first, err
		}
	}
	if len(entries) > 0 {
		first = sql.NullInt64{Int64: entries[0], Valid: true}
	}
	return event, first, err
}

// importWitness joins an event to the entries of the earlier one that it is
// another sighting of, where that is here.
func (t *tx) importWitness(e sighting, event int64) ([]int64, error) {
	same, err := t.sameAs(e)
	if err != nil || same == nil {
		return nil, err
	}
	entries, err := t.entriesOf(same.event)
	if err != nil {
		return nil, err
	}
	return entries, t.witness(e, event, entries)
}

// importEntry writes one entry.
func (t *tx) importEntry(e RecordEntry, event int64, sum *Imported) (int64, error) {
	state, reason, why := e.arrives()
	media, key, err := writeMedia(e.Kind, e.Media)
	if err != nil {
		return 0, err
	}
	list, err := writeList(e.List)
	if err != nil {
		return 0, err
	}
	decided, err := schema.JSON([]string{why})
	if err != nil {
		return 0, err
	}
	settled := schema.TimeOrNull(time.Time{})
	if state.Finished() {
		settled = schema.TimeOrNull(e.SettledAt)
	}
	at := writeInstant(e.WatchedAt)
	id, err := t.insertEntry(event, e.Account, e.Part, string(e.Kind), media, list, key, e.Priority,
		at.millis, at.text, at.offset, at.precision, string(e.Class), e.Revision, e.CreatedAt.UnixMilli(),
		string(state), reason, int(viewing.LaneBackfill), at.due(t.now), decided)
	if err != nil {
		return 0, err
	}
	_, err = t.Exec("UPDATE entries SET attempts = ?, remote_id = nullif(?, ''), settled_at = ? WHERE id = ?",
		e.Attempts, e.RemoteID, settled, id)
	if err != nil {
		return 0, err
	}
	t.made(state)
	if err := t.askAbout(id, state, key); err != nil {
		return 0, err
	}
	if state == viewing.StateInDoubt {
		if err := t.doubtful(id, schema.Time(t.now)); err != nil {
			return 0, err
		}
	}
	sum.Entries++
	switch {
	case state == viewing.StateInDoubt:
		sum.InDoubt++
	case state == viewing.StateHeld && reason == viewing.ReasonImported:
		sum.Held++
	}
	return id, nil
}

// arrives is the state in which an entry comes in, and why.
func (e RecordEntry) arrives() (state viewing.State, reason, why string) {
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
