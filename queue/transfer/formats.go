package transfer

import (
	"iter"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Formats are all forms of file, in the order in which a file is tried.
func Formats() []Format {
	all := []Format{
		trakt, own, letterboxdForm, simklForm, tvtimeForm, imdbForm, tautulliForm, jellyfinForm, netflixForm,
		csvForm, yamtrackForm, movaryForm,
	}
	for i := range all {
		if read, name := all[i].Read, all[i].Name; read != nil {
			all[i].Read = func(f *File, o Options) iter.Seq2[Row, error] { return checked(name, read(f, o)) }
		}
	}
	return all
}

// checked marks rows that the queue would refuse as unreadable, and names where they come
// from.
func checked(name string, rows iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for row, err := range rows {
			if err == nil && row.Skip == "" {
				if row.Event.Kind == viewing.KindViewing && row.Event.Count == 0 {
					row.Event.Count = 1
				}
				if row.Event.Origin.Site == "" {
					row.Event.Origin.Site = name
				}
				probe := row.Event
				probe.EventID = row.Key
				if probe.Validate() != nil {
					row.Skip = SkipUnreadable
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}
