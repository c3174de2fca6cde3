package kodi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// memory is what the importer knows of one library: the last good reading,
// kept in our own database under one key per file.
type memory struct {
	meta   meta
	files  map[string]record  // by path: Kodi's row ids change, paths seldom do
	wishes map[string]granted // by slot; see [wish]
}

// meta is what is known of the library as a whole.
type meta struct {
	ID       string  `json:"id"`               // random, minted at first contact; begins every event id
	GoodAt   int64   `json:"goodAt,omitempty"` // last moment (UTC ms) at which the file was as remembered; 0 before first contact
	Database string  `json:"database,omitempty"`
	Watched  int     `json:"watched,omitempty"` // files with a play count in the last reading
	Clock    clock   `json:"clock,omitzero"`
	Guard    guard   `json:"guard,omitzero"`
	Last     lastEnd `json:"last,omitzero"`
	Import   Import  `json:"import,omitzero"`
}

// lastEnd is the last end handed over, to see a mass mark that two readings
// share.
type lastEnd struct {
	Key  string `json:"key"`
	Wall int64  `json:"wall"`           // by Kodi's clock, in ms as if that were UTC
	ID   string `json:"id,omitempty"`   // of its event
	Path string `json:"path,omitempty"` // of its file
}

// record is what is known of one file. The field names are short because a
// library has tens of thousands.
type record struct {
	Count    int     `json:"c,omitempty"` // play count last seen
	Text     string  `json:"t,omitempty"` // lastPlayed last seen
	Mark     int64   `json:"m,omitempty"` // latest lastPlayed ever seen, UTC ms
	MarkText string  `json:"x,omitempty"` // its text, when it is not Text
	Whole    string  `json:"w,omitempty"` // the time that came with Count, when Text has moved on without it
	Row      int64   `json:"r,omitempty"` // Kodi's id of the first item: another one means a rebuilt library
	Rows     uint32  `json:"u,omitempty"` // of all items and their identifiers: another sum means that one was inserted again
	Bare     bool    `json:"b,omitempty"` // had no item at the last reading
	Serial   int     `json:"n,omitempty"` // events made of this file so far
	DownAt   int64   `json:"d,omitempty"` // when the count was seen to have gone down, UTC ms
	Frozen   bool    `json:"f,omitempty"` // the count fell while the library was suspect: Count stays
	Low      int     `json:"l,omitempty"` // what a frozen count has fallen to
	Events   []event `json:"e,omitempty"` // of the last 30 days
}

// event is a viewing that was handed over.
type event struct {
	ID    string          `json:"i"`
	When  viewing.Instant `json:"a"`
	Seen  int64           `json:"s"`           // when it was handed over, UTC ms
	Count int             `json:"c"`           // the play count it led to
	Class viewing.Class   `json:"k"`           // as handed over
	Key   string          `json:"y"`           // the identity it was last given
	Items int             `json:"n"`           // number of items it names
	From  int             `json:"o,omitempty"` // the first of them among those in the file
	Row   int64           `json:"r,omitempty"` // Kodi's id of the first item; 0 when it had none
	Taken bool            `json:"u,omitempty"` // its growth was taken back, not yet withdrawn
	Gone  bool            `json:"g,omitempty"` // withdrawn
	Same  string          `json:"w,omitempty"` // the event of which this is only a further sighting
}

// How long events can still be corrected, and how many of one file are kept.
const (
	correctable = 30 * 24 * time.Hour
	maxEvents   = 20
)

// base is the count that growth is measured from.
func (r record) base() int {
	if r.Frozen {
		return r.Low
	}
	return r.Count
}

// clone is a copy whose events can be changed.
func (r record) clone() record {
	r.Events = slices.Clone(r.Events)
	return r
}

func (r record) equal(o record) bool {
	same := slices.Equal(r.Events, o.Events)
	return same && r.Count == o.Count && r.Text == o.Text && r.Mark == o.Mark && r.MarkText == o.MarkText && r.Whole == o.Whole &&
		r.Row == o.Row && r.Rows == o.Rows && r.Bare == o.Bare &&
		r.Serial == o.Serial && r.DownAt == o.DownAt && r.Frozen == o.Frozen && r.Low == o.Low
}

// add keeps an event and forgets those that can no longer be corrected.
func (r *record) add(e event, now time.Time) {
	r.Events = slices.DeleteFunc(r.Events, func(e event) bool { return e.old(now) })
	r.Events = append(r.Events, e)
	if extra := len(r.Events) - maxEvents; extra > 0 {
		r.Events = slices.Delete(r.Events, 0, extra)
	}
}

// first is the event that stands for this one.
func (e event) first() string {
	if e.Same != "" {
		return e.Same
	}
	return e.ID
}

func (e event) old(now time.Time) bool { return now.UnixMilli()-e.Seen > correctable.Milliseconds() }

// The keys of the state in our own database.
const (
	metaKey    = "meta"
	filePrefix = "file:"
)

// parseMemory reads the state that the sink kept; nil when there is none.
func parseMemory(state map[string][]byte) (*memory, error) {
	text, ok := state[metaKey]
	if !ok {
		return nil, nil
	}
	m := &memory{files: make(map[string]record, len(state)), wishes: map[string]granted{}}
	if err := json.Unmarshal(text, &m.meta); err != nil {
		return nil, fmt.Errorf("read what is known of the library: %w", err)
	}
	for key, text := range state {
		if err := m.readWish(key, text); err != nil {
			return nil, err
		}
		path, ok := strings.CutPrefix(key, filePrefix)
		if !ok {
			continue
		}
		var r record
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("read what is known of a file: %w", err)
		}
		m.files[path] = r
	}
	return m, nil
}

// render is the part of the state that a verdict changes.
func (v verdict) render() (map[string][]byte, error) {
	state := make(map[string][]byte, len(v.files)+1)
	for path, r := range v.files {
		text, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("keep what is known of a file: %w", err)
		}
		state[filePrefix+path] = text
	}
	text, err := json.Marshal(v.meta)
	if err != nil {
		return nil, fmt.Errorf("keep what is known of the library: %w", err)
	}
	state[metaKey] = text
	return state, nil
}

// apply makes the verdict's state the known one, after it was committed.
func (m *memory) apply(v verdict) {
	m.meta = v.meta
	maps.Copy(m.files, v.files)
}
