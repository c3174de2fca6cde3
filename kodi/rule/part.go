package rule

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/snapshot"
)

// manyOpen bounds the files with events that can still be corrected, of which
// each reading is in full: Kodi may now call them by another name. When there
// are more, as after an import, they are read when any name has changed.
const manyOpen = 300

// Part is what the rule needs of a library, given the mark of its names at the
// last reading.
func (m *Memory) Part(names string, now time.Time) snapshot.Part { return m.part(names, now, manyOpen) }

// part is Part, where more than so many files with open events are many.
func (m *Memory) part(names string, now time.Time, few int) snapshot.Part {
	open := 0
	for _, rec := range m.files {
		if len(rec.Events) > 0 && rec.open(now) {
			open++
		}
	}
	many := open > few
	return snapshot.Part{Names: many, Pick: func(outline snapshot.Snapshot) func(snapshot.File) bool {
		renamed := !many || outline.Names != names
		return func(f snapshot.File) bool { return m.needs(f, renamed, now) }
	}}
}

// needs reports whether the rule asks more of a file than its outline: it has
// changed, or it may have another name than the events about it.
func (m *Memory) needs(f snapshot.File, renamed bool, now time.Time) bool {
	old, known := m.files[f.Path]
	switch {
	case m.Meta.GoodAt == 0:
		return false
	case !known:
		return f.PlayCount > 0
	case f.PlayCount != old.base() || f.LastPlayed != old.Text:
		return true
	default:
		return renamed && old.open(now) || slices.ContainsFunc(old.Events, func(e event) bool { return e.Taken })
	}
}

// open reports whether an event of the file can still be corrected.
func (r record) open(now time.Time) bool {
	return slices.ContainsFunc(r.Events, func(e event) bool { return !e.Gone && !e.old(now) })
}
