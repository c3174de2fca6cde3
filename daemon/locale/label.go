package locale

import (
	"strings"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Label names an entry.
func (s Speech) Label(e entry.Entry) string {
	switch {
	case e.List != nil:
		return s.Say("item.list", "name", e.List.Name)
	case e.Media != nil:
		return s.Item(*e.Media)
	default:
		return string(e.Kind)
	}
}

// Item names a film, series or episode.
func (s Speech) Item(m viewing.Media) string {
	return m.LabelIn(func(word string) string { return s.Say("item." + strings.ReplaceAll(word, " ", "-")) })
}
