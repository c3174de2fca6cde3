package transfer

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// own is our own export: one event a line, with what became of it.
var own = Format{Name: "jsonl", Is: isOwn, Read: readOwn}

// ownLine is one line, as package queue writes it.
type ownLine struct {
	Source  string        `json:"source"`
	EventID string        `json:"eventId"`
	Event   viewing.Event `json:"event"`
	Entries []struct {
		State     viewing.State  `json:"state"`
		Account   string         `json:"account"`
		Media     *viewing.Media `json:"media"`
		WatchedAt time.Time      `json:"watchedAt"`
	} `json:"entries"`
}

func isOwn(f *File) bool {
	for _, p := range f.Named() {
		head := p.Head()
		return strings.HasPrefix(head, `{"v":1,`) && (strings.Contains(head, `"eventId":`) || strings.Contains(head, `"unreadable":`))
	}
	return false
}

// readOwn reads events that were not dropped or merged, with what was found out about them.
// They keep their source, so that what is here already is known.
func readOwn(f *File, _ Options) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, p := range f.Named() {
			for o, err := range p.Objects("") {
				var line ownLine
				if err == nil {
					err = o.Into(&line)
				}
				if !yield(line.row(), err) || err != nil {
					return
				}
			}
		}
	}
}

// row is the event, as its entries in the first account are now.
func (l ownLine) row() Row {
	row := Row{Key: l.EventID, Source: l.Source, Event: l.Event}
	row.Event.EventID = ""
	kind := viewing.SourceKind(l.Source)
	if !slices.Contains(viewing.Sources(), kind) {
		row.Source, row.Key = "", kind+":"+l.EventID
	}
	sent, kept := false, false
	parts := l.Entries[:0:0]
	for _, e := range l.Entries {
		if e.Account != l.Entries[0].Account {
			continue
		}
		parts = append(parts, e)
		alive := e.State != viewing.StateDropped && e.State != viewing.StateMerged
		kept, sent = kept || alive, sent || alive && e.State != viewing.StateHeld && e.State != viewing.StateRejected
	}
	if !kept {
		row.Skip = SkipOther
		return row
	}
	row.Event.Media = slices.Clone(l.Event.Media)
	for i := range min(len(parts), len(row.Event.Media)) {
		if parts[i].Media != nil {
			row.Event.Media[i] = *parts[i].Media
		}
	}
	if at := parts[0].WatchedAt; l.Event.Kind == viewing.KindViewing && at.UnixMilli() != l.Event.WatchedAt.Millis {
		row.Event.WatchedAt = viewing.At(at)
	}
	if sent { // a person or a rule has let it go
		row.Event.Class, row.Event.Unsure = viewing.ClassImport, false
	}
	return row
}
