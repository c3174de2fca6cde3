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

// Memory is what the importer knows of one library: the last good reading,
// kept in our own database under one key per file.
type Memory struct {
	Meta      Meta
	files     map[string]record // by path: Kodi's row ids change, paths seldom do
	watchlist map[string]added  // by slot
}

// Meta is what is known of the library as a whole.
type Meta struct {
	ID       string  `json:"id"`               // random, minted at first contact; begins every event id
	GoodAt   int64   `json:"goodAt,omitempty"` // last moment (UTC ms) at which the file was as remembered; 0 before first contact
	Database string  `json:"database,omitempty"`
	Watched  int     `json:"watched,omitempty"` // files with a play count in the last reading
	Guard    Guard   `json:"guard,omitzero"`
	Last     lastEnd `json:"last,omitzero"`
	Import   Import  `json:"import,omitzero"`
}

// Import is how far an import has come.
type Import struct {
	Total int   `json:"total"` // events to hand over; 0 when there is no import
	Done  int   `json:"done"`  // of them are on disk
	At    int64 `json:"at"`    // when it began, UTC ms
}

// lastEnd is the last end handed over, to see a mass mark that two readings
// share.
type lastEnd struct {
	Key   string `json:"key"`
	Clock int64  `json:"clock"`          // by Kodi's clock, in ms as if that were UTC
	ID    string `json:"id,omitempty"`   // of its event
	Path  string `json:"path,omitempty"` // of its file
}

// record is what is known of one file. The field names are short because a
// library has tens of thousands.
type record struct {
	Count      int     `json:"c,omitempty"` // play count last seen
	LastPlayed string  `json:"t,omitempty"` // likewise
	CountedAt  string  `json:"w,omitempty"` // the time that came with Count, when LastPlayed has moved on without it
	Latest     int64   `json:"m,omitempty"` // latest time ever seen, UTC ms
	Item       int64   `json:"r,omitempty"` // Kodi's id of the first item: another one means a rebuilt library
	Items      uint32  `json:"u,omitempty"` // of all items and their identifiers: another sum means that one was inserted again
	NoItem     bool    `json:"b,omitempty"` // had no item at the last reading
	Serial     int     `json:"n,omitempty"` // events made of this file so far
	FellAt     int64   `json:"d,omitempty"` // when the count was seen to have been taken back, UTC ms
	Fallen     int     `json:"f,omitempty"` // the count from which it fell with many others; 0 when it has not, or is back
	Events     []event `json:"e,omitempty"` // of the last 30 days
}

// event is a viewing that was handed over.
type event struct {
	ID     string          `json:"i"`
	When   viewing.Instant `json:"a"`
	Seen   int64           `json:"s"`           // when it was handed over, UTC ms
	Count  int             `json:"c"`           // the play count it led to
	Class  viewing.Class   `json:"k"`           // as handed over
	Key    string          `json:"y"`           // the identity it was last given
	Items  int             `json:"n"`           // number of items it names
	Item   int64           `json:"r,omitempty"` // Kodi's id of the first item; 0 when it had none
	Played bool            `json:"p,omitempty"` // Kodi has announced its playback: taking the count back withdraws nothing
	Taken  bool            `json:"u,omitempty"` // its growth was taken back, not yet withdrawn
	Gone   bool            `json:"g,omitempty"` // withdrawn
	Same   string          `json:"w,omitempty"` // the event of which this is only a further sighting
}

// added is an item that was put on the watchlist or a list, or a list that was
// created.
type added struct {
	ID   string `json:"i"`           // the event's
	List string `json:"l,omitempty"` // the event of its list; "" is the watchlist
	Path string `json:"p,omitempty"` // of the item
	Open bool   `json:"o,omitempty"` // it had no identifier that the service takes
}

// How long events can still be corrected, and how many of one file are kept.
const (
	correctable = 30 * 24 * time.Hour
	maxEvents   = 20
)

// clone is a copy whose events can be changed.
func (r record) clone() record {
	r.Events = slices.Clone(r.Events)
	return r
}

// add keeps an event and forgets those that can no longer be corrected.
func (r *record) add(e event, now time.Time) {
	r.Events = append(slices.DeleteFunc(r.Events, func(e event) bool { return e.old(now) }), e)
	r.Events = r.Events[max(0, len(r.Events)-maxEvents):]
}

// first is the event that stands for this one.
func (e event) first() string {
	if e.Same != "" {
		return e.Same
	}
	return e.ID
}

func (e event) old(now time.Time) bool { return now.UnixMilli()-e.Seen > correctable.Milliseconds() }

// NewMemory knows nothing yet of a library. Its id begins every event id, so no
// two libraries may share one.
func NewMemory(id string) *Memory {
	return &Memory{Meta: Meta{ID: id}, files: map[string]record{}, watchlist: map[string]added{}}
}

// Empty reports that no file is known.
func (m *Memory) Empty() bool { return len(m.files) == 0 }

// The keys of the state in our own database.
const (
	metaKey         = "meta"
	filePrefix      = "file:"
	watchlistPrefix = "watchlist:"
)

// Parse reads the state that [Verdict.State] made; without one nothing is known of the
// library with this id.
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
			err = parseInto(m.watchlist, slot, text)
		case key == metaKey:
			err = json.Unmarshal(text, &m.Meta)
		}
		if err != nil {
			return nil, fmt.Errorf("read what is known of the library: %s: %w", key, err)
		}
	}
	return m, nil
}

func parseInto[T any](all map[string]T, name string, text []byte) error {
	var one T
	err := json.Unmarshal(text, &one)
	all[name] = one
	return err
}

// State is the part of the state that a verdict changes.
func (v Verdict) State() map[string][]byte {
	state := map[string][]byte{metaKey: encode(v.Meta)}
	for path, r := range v.files {
		state[filePrefix+path] = encode(r)
	}
	for slot, x := range v.watchlist {
		state[watchlistPrefix+slot] = encode(x)
	}
	return state
}

func encode(known any) []byte {
	text, err := json.Marshal(known)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return text
}

// Apply makes the verdict's state the known one, after it was committed.
func (m *Memory) Apply(v Verdict) {
	m.Meta = v.Meta
	maps.Copy(m.files, v.files)
	maps.Copy(m.watchlist, v.watchlist)
}

// After is what would be known after a verdict.
func (m *Memory) After(v Verdict) *Memory {
	after := &Memory{Meta: m.Meta, files: maps.Clone(m.files), watchlist: maps.Clone(m.watchlist)}
	after.Apply(v)
	return after
}

// Quiet reports a verdict that only moves the time of the last good reading.
func (v Verdict) Quiet(known *Memory) bool {
	before := known.Meta
	before.GoodAt = v.Meta.GoodAt
	return before == v.Meta && len(v.files)+len(v.Viewings)+len(v.Amendments) == 0
}

// Needs reports whether the rule asks more of a file than its counts and numbers:
// it has changed, or an event about it can still be corrected. What an import
// handed over gets a new name when Kodi has inserted the item again.
func (m *Memory) Needs(f library.File, now time.Time) bool {
	old, known := m.files[f.Path]
	switch {
	case m.Meta.GoodAt == 0:
		return false
	case !known:
		return f.PlayCount > 0
	case f.PlayCount != old.Count || f.LastPlayed != old.LastPlayed:
		return true
	}
	again := row(f) != 0 && (old.NoItem || itemsOf(f) != old.Items)
	return slices.ContainsFunc(old.Events, func(e event) bool {
		return e.Taken || !e.Gone && !e.old(now) && (again || e.Class != viewing.ClassImport)
	})
}
