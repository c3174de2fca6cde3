package control

import (
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
)

// ExportForms are the forms of an export: JSON lines with all that is known, and the forms of
// package transfer that are written.
var ExportForms = []string{"jsonl", "csv", "trakt", "letterboxd", "yamtrack"}

// Export chooses what an export holds, and in which form it is written.
type Export struct {
	Form string `json:"form"` // one of ExportForms; "" is jsonl
	entry.Filter
}

// Exported is what became of an export.
type Exported struct {
	LeftOut int `json:"leftOut"` // entries that the form cannot hold
}

// FileName is what the file of an export is called.
func (e Export) FileName() string {
	switch e.Form {
	case "jsonl", "":
		return "filmspool.jsonl"
	case "trakt":
		return "filmspool-trakt.zip"
	case "csv":
		return "filmspool.csv"
	default:
		return "filmspool-" + e.Form + ".csv"
	}
}

// Valid reports whether there is such a form.
func (e Export) Valid() bool { return e.Form == "" || slices.Contains(ExportForms, e.Form) }
