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

// Source names a source: as a person has named it, else by what it is.
func (s Speech) Source(source string) string {
	if name := s.Names[source]; name != "" {
		return name
	}
	return s.Kind(viewing.SourceKind(source))
}

// Kind names a kind of source.
func (s Speech) Kind(kind string) string {
	if key := "source.kind." + kind; s.Has(key) {
		return s.Say(key)
	}
	return kind
}

// Work names a series or a film of a ranking: by its title, else by its number.
func (s Speech) Work(r entry.Ranked) string {
	if r.Media == nil {
		return r.Name
	}
	return s.Item(*r.Media)
}

// Item names a film, series or episode.
func (s Speech) Item(m viewing.Media) string {
	return m.LabelIn(func(word string) string { return s.Say("item." + strings.ReplaceAll(word, " ", "-")) })
}
