package rule

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Memory is the stored state of one library after the last successful read. The queue's database
// keeps it under one key per file.
type Memory struct {
	Meta  Meta
	files map[string]record    // by path: Kodi's row ids change, paths seldom do
	added map[string]addedItem // by the key of [taggedItem]
}

// Meta is the state of the library as a whole.
type Meta struct {
	ID         string  `json:"id"`               // random prefix of every event id, set at first contact
	VerifiedAt int64   `json:"goodAt,omitempty"` // when the library last matched this state, UTC ms; 0 before first contact
	Database   string  `json:"database,omitempty"`
	Watched    int     `json:"watched,omitempty"` // files with a play count at the last read
	Guard      Guard   `json:"guard,omitzero"`
	Last       lastEnd `json:"last,omitzero"`
	Import     Import  `json:"import,omitzero"`
}

// Import is the progress of an import.
type Import struct {
	Total int   `json:"total"` // events to submit; 0 without an import
	Done  int   `json:"done"`  // events on disk
	At    int64 `json:"at"`    // when it began, UTC ms
}

// lastEnd is the last submitted viewing. It finds a bulk mark that is spread over two reads.
type lastEnd struct {
	Key   string `json:"key"`
	Clock int64  `json:"clock"`          // Kodi's wall clock time in ms, read as UTC
	ID    string `json:"id,omitempty"`   // event id
	Path  string `json:"path,omitempty"` // path of the file
}

// record is the stored state of one file. The JSON names are short because a library has tens
// of thousands of files.
type record struct {
	Count       int     `json:"c,omitempty"` // play count at the last read
	LastPlayed  string  `json:"t,omitempty"` // Kodi's time text at the last read
	CountedAt   string  `json:"w,omitempty"` // time at which Count rose, if LastPlayed changed since
	Latest      int64   `json:"m,omitempty"` // latest time ever seen, UTC ms
	FirstItem   int64   `json:"r,omitempty"` // Kodi's id of the first item: another one means a rebuilt library
	ItemsHash   uint32  `json:"u,omitempty"` // checksum of all items and their identifiers: it changes when one is inserted again
	NoItem      bool    `json:"b,omitempty"` // had no item at the last read
	EventCount  int     `json:"n,omitempty"` // events made of this file so far
	FellAt      int64   `json:"d,omitempty"` // when the count was seen to have fallen, UTC ms
	FrozenCount int     `json:"f,omitempty"` // count before it fell with many others; 0 if it did not, or is back
	Events      []event `json:"e,omitempty"` // of the last 30 days
}

// event is a viewing that was submitted to the queue.
type event struct {
	ID          string          `json:"i"`
	When        viewing.Instant `json:"a"`
	SubmittedAt int64           `json:"s"`           // UTC ms
	Count       int             `json:"c"`           // play count after the viewing
	Class       viewing.Class   `json:"k"`           // as submitted
	Key         string          `json:"y"`           // identity, as last amended
	ItemCount   int             `json:"n"`           // number of items it names
	FirstItem   int64           `json:"r,omitempty"` // Kodi's id of the first item; 0 without one
	Played      bool            `json:"p,omitempty"` // Kodi announced its playback: a lower count does not withdraw it
	TakenBack   bool            `json:"u,omitempty"` // the count fell since; postponed until it is withdrawn or confirmed
	Withdrawn   bool            `json:"g,omitempty"`
	SameAs      string          `json:"w,omitempty"` // id of the event that this one repeats, as a further sighting
}

// addedItem is an item that was put on the watchlist or a list, or a list that was created.
type addedItem struct {
	ID   string `json:"i"`           // event id
	List string `json:"l,omitempty"` // event id of its list; "" for the watchlist
	Path string `json:"p,omitempty"` // path of the item
	Open bool   `json:"o,omitempty"` // had no identifier that the service accepts
}

// How long events can be amended, and how many are kept per file.
const (
	amendableFor = 30 * 24 * time.Hour
	maxEvents    = 20
)

// clone returns a copy with its own events.
func (r record) clone() record {
	r.Events = slices.Clone(r.Events)
	return r
}

// add stores an event and deletes those that can no longer be amended.
func (r *record) add(e event, now time.Time) {
	r.Events = append(slices.DeleteFunc(r.Events, func(e event) bool { return e.isExpired(now) }), e)
	r.Events = r.Events[max(0, len(r.Events)-maxEvents):]
}

// originalID returns the id of the event that this one repeats, or its own id.
func (e event) originalID() string {
	if e.SameAs != "" {
		return e.SameAs
	}
	return e.ID
}

// isExpired reports whether the event is too old to be amended.
func (e event) isExpired(now time.Time) bool {
	return now.UnixMilli()-e.SubmittedAt > amendableFor.Milliseconds()
}

// NewMemory returns an empty memory. The id is the prefix of every event id, so it must be unique
// per library.
func NewMemory(id string) *Memory {
	return &Memory{Meta: Meta{ID: id}, files: map[string]record{}, added: map[string]addedItem{}}
}

// IsEmpty reports whether the memory has no files.
func (m *Memory) IsEmpty() bool { return len(m.files) == 0 }

// The keys of the stored state.
const (
	metaKey         = "meta"
	filePrefix      = "file:"
	watchlistPrefix = "watchlist:"
)

// Parse reads the state that [Verdict.State] made. Without one it returns an empty memory with
// this id.
func Parse(state map[string][]byte, id string) (*Memory, error) {
	m := NewMemory(id)
	for key, text := range state {
		var err error
		name, isFile := strings.CutPrefix(key, filePrefix)
		slot, isAdded := strings.CutPrefix(key, watchlistPrefix)
		switch {
		case isFile:
			err = parseInto(m.files, name, text)
		case isAdded:
			err = parseInto(m.added, slot, text)
		case key == metaKey:
			err = json.Unmarshal(text, &m.Meta)
		}
		if err != nil {
			return nil, fmt.Errorf("parse library state: %s: %w", key, err)
		}
	}
	return m, nil
}

// parseInto parses a stored value and adds it to the map.
func parseInto[T any](all map[string]T, name string, text []byte) error {
	var one T
	err := json.Unmarshal(text, &one)
	all[name] = one
	return err
}

// State returns the keys and values of the state that the verdict changes.
func (v Verdict) State() map[string][]byte {
	state := map[string][]byte{metaKey: encode(v.Meta)}
	for path, r := range v.files {
		state[filePrefix+path] = encode(r)
	}
	for slot, x := range v.added {
		state[watchlistPrefix+slot] = encode(x)
	}
	return state
}

// encode returns a value as JSON.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the types hold only strings, numbers and booleans
	}
	return text
}

// Apply updates the memory with a committed verdict.
func (m *Memory) Apply(v Verdict) {
	m.Meta = v.Meta
	maps.Copy(m.files, v.files)
	maps.Copy(m.added, v.added)
}

// After returns a copy of the memory, updated with a verdict.
func (m *Memory) After(v Verdict) *Memory {
	after := &Memory{Meta: m.Meta, files: maps.Clone(m.files), added: maps.Clone(m.added)}
	after.Apply(v)
	return after
}

// IsQuiet reports whether the verdict only changes the time of the last successful read.
func (v Verdict) IsQuiet(memory *Memory) bool {
	before := memory.Meta
	before.VerifiedAt = v.Meta.VerifiedAt
	return before == v.Meta && len(v.files)+len(v.Viewings)+len(v.Amendments) == 0
}

// NeedsDetails reports whether Decide needs the full item of a file: the file has changed, or
// one of its events can still be amended. Imported viewings are amended only if Kodi inserted
// the item again.
func (m *Memory) NeedsDetails(f library.File, now time.Time) bool {
	old, known := m.files[f.Path]
	switch {
	case m.Meta.VerifiedAt == 0:
		return false
	case !known:
		return f.PlayCount > 0
	case f.PlayCount != old.Count || f.LastPlayed != old.LastPlayed:
		return true
	}
	again := firstItemID(f) != 0 && (old.NoItem || itemsHash(f) != old.ItemsHash)
	return slices.ContainsFunc(old.Events, func(e event) bool {
		return e.TakenBack || !e.Withdrawn && !e.isExpired(now) && (again || e.Class != viewing.ClassImport)
	})
}
