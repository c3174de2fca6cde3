package rule

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Needs reports whether the rule asks more of a file than its counts and numbers:
// it has changed, or an event about it can still be corrected. What an import
// handed over is named anew when Kodi has inserted the item again.
func (m *Memory) Needs(f library.File, now time.Time) bool {
	old, known := m.files[f.Path]
	switch {
	case m.Meta.GoodAt == 0:
		return false
	case !known:
		return f.PlayCount > 0
	case f.PlayCount != old.base() || f.LastPlayed != old.Text:
		return true
	}
	again := row(f) != 0 && (old.Bare || rows(f) != old.Rows)
	return slices.ContainsFunc(old.Events, func(e event) bool {
		return e.Taken || !e.Gone && !e.old(now) && (again || e.Class != viewing.ClassImport)
	})
}
