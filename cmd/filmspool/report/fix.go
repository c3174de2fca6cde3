package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/cmd/filmspool/terminal"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Candidates prints candidates, numbered from 1.
func Candidates(w *terminal.Printer, all []resolve.Candidate) error {
	t := w.Table(2, 4)
	t.Row("N", "TMDB", "KIND", "YEAR", "TITLE")
	for i, c := range all {
		year := "-"
		if c.Year > 0 {
			year = strconv.Itoa(c.Year)
		}
		t.Row(i+1, c.TMDB, kindWord(c.Type), year, typed.Shortened(c.Title))
	}
	return t.Flush()
}

// kindWord is a film or a series in a person's word.
func kindWord(kind viewing.MediaType) string {
	if kind == viewing.TV {
		return "series"
	}
	return "film"
}

// Corrections prints a table of corrections.
func Corrections(w *terminal.Printer, all []resolve.Correction) error {
	if len(all) == 0 {
		w.Println("Nothing is remembered.")
		return nil
	}
	t := w.Table(2, 1)
	t.Row("ID", "WHAT IS TOLD AS", "IS", "SINCE", "ENTRIES")
	for _, r := range all {
		t.Row(r.ID, Told(r.Told), r.Is, r.Since.Local().Format(time.DateOnly), r.Entries)
	}
	return t.Flush()
}

// Told is what a source told of a film or series, in a person's words.
func Told(c resolve.Clue) string {
	text := kindWord(c.Kind)
	if c.Title != "" {
		text += " " + typed.Quoted(c.Title)
	}
	if c.Year > 0 {
		text += fmt.Sprintf(" (%d)", c.Year)
	}
	if c.IDs.IMDB != "" {
		text += " " + c.IDs.IMDB
	}
	if c.IDs.TVDB > 0 {
		text += fmt.Sprintf(" tvdb %d", c.IDs.TVDB)
	}
	if text == kindWord(c.Kind) && c.Site != nil {
		text += fmt.Sprintf(" %s %s", c.Site.Name, c.Site.Title+c.Site.Series)
	}
	return text
}
