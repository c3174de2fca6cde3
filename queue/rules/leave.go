package rules

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// importKind is the kind of sources that bring what was seen long ago.
const importKind = "import"

// line decides behind whom the entry leaves, and when at the earliest.
func (d *Decision) line(s Settings, source string, v viewing.Viewing, now time.Time) {
	d.Backfill = viewing.SourceKind(source) == importKind ||
		v.Class == viewing.ClassBulk || v.Class == viewing.ClassBackdated || v.Class == viewing.ClassImport
	if s.Grace > 0 {
		d.NotBefore = now.Add(s.Grace)
	}
}

// leave says when an entry that nothing holds leaves.
func (d *Decision) leave() string {
	says := "it may be sent."
	if !d.NotBefore.IsZero() {
		says = "it may leave from " + d.NotBefore.UTC().Format("2006-01-02T15:04:05.999Z07:00") + "."
	}
	if d.Backfill {
		says += " As an import it lets everything pass that is seen live."
	}
	return says
}
