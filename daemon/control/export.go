package control

import (
	"slices"

	"github.com/filmspool/filmspool/queue/entry"
)

// ExportForms are the formats of an export: JSON lines with all fields, and the formats that
// package transfer can write.
var ExportForms = []string{"jsonl", "csv", "trakt", "letterboxd", "yamtrack"}

// Export selects the entries and the format of an export.
type Export struct {
	Form string `json:"form"` // one of ExportForms; "" is jsonl
	entry.Filter
}

// Exported is the result of an export.
type Exported struct {
	LeftOut int `json:"leftOut"` // entries that the format cannot represent
}

// FileName returns the default name of the exported file.
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

// Valid reports whether the format exists.
func (e Export) Valid() bool { return e.Form == "" || slices.Contains(ExportForms, e.Form) }
