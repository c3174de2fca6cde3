package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pageSize is how many entries a page of the diary has.
const pageSize = 50

// diaryData is the data of the page Diary.
type diaryData struct {
	Months   []month
	UpTo     int64  // id of the newest entry
	Newest   string // address of the newest entries; "" if they are shown
	Older    string // address of the next older entries; "" for none
	Filtered bool   // by more than words
	Bulk     *bulk
}

// The choices of the diary's forms.
var (
	filterFields = []string{"words", "state", "reason", "source", "account", "from", "to"}
	bulkVerbs    = []entry.Verb{entry.VerbRelease, entry.VerbHold, entry.VerbRetry, entry.VerbRecheck, entry.VerbDrop}
)

// States returns the choices of the filter by state.
func (diaryData) States() []viewing.State { return viewing.States() }

// Verbs returns the acts for several entries.
func (diaryData) Verbs() []entry.Verb { return bulkVerbs }

// Fields returns the names of the filter's fields.
func (diaryData) Fields() []string { return filterFields }

func showDiary(v *view) (any, error) {
	data := &diaryData{}
	data.Bulk, _ = v.Result.(*bulk) // nil without a preview
	var err error
	if data.UpTo, err = newest(v); err != nil {
		return nil, err
	}
	f, err := filterOf(v)
	if err != nil {
		return data, err
	}
	data.Filtered = slices.ContainsFunc(filterFields[1:], func(name string) bool { return v.Typed(name) != "" })
	f.ByTime, f.Limit = true, pageSize+1
	if _, err := fmt.Sscanf(v.Typed("past"), "%d.%d", &f.Past.At, &f.Past.ID); err != nil {
		f.Past = entry.Position{} // the beginning
	}
	rows, err := v.api().List(v.ctx(), f)
	if err != nil {
		return nil, err
	}
	if source, rest := v.sourceIn(f.Words); len(rows) == 0 && source != "" && f.Source == "" {
		f.Source, f.Words = source, rest
		if rows, err = v.api().List(v.ctx(), f); err != nil {
			return nil, err
		}
	}
	if f.Past != (entry.Position{}) {
		data.Newest = diaryAddress(v, entry.Position{})
	}
	if len(rows) > pageSize {
		rows = rows[:pageSize]
		data.Older = diaryAddress(v, rows[pageSize-1].Position())
	}
	data.Months = v.byDay(rows)
	return data, nil
}

// sourceIn returns the source, or the kind of source, whose name contains most of the words, and
// the other words; "" for none.
func (v *view) sourceIn(words string) (source, rest string) {
	typed, most := strings.Fields(strings.ToLower(words)), 0
	try := func(id, name string) {
		parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" ()", r) })
		others := slices.DeleteFunc(slices.Clone(typed), func(word string) bool { return slices.Contains(parts, word) })
		if n := len(typed) - len(others); n > most {
			source, rest, most = id, strings.Join(others, " "), n
		}
	}
	for _, kind := range viewing.Sources() {
		try(kind, v.Kind(kind))
	}
	for _, s := range v.Status.Sources {
		try(s.Name, v.Source(s.Name))
	}
	return source, rest
}

// diaryAddress returns the address of the diary after a position, with the same filter.
func diaryAddress(v *view, past entry.Position) string {
	_, query, _ := strings.Cut(v.Here(), "?")
	values, _ := url.ParseQuery(query) // ignores what is malformed
	values.Del("past")
	if past != (entry.Position{}) {
		values.Set("past", fmt.Sprintf("%d.%d", past.At, past.ID))
	}
	return "/diary?" + values.Encode()
}

// newest returns the id of the newest entry; 0 without any.
func newest(v *view) (int64, error) {
	list, err := v.api().List(v.ctx(), entry.Filter{Limit: 1})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}

// The limits of a search: words, and their length in bytes.
const (
	maxWords    = 20
	maxSearched = 300
)

// filterOf returns the filter of the form: viewings, without dropped and merged ones unless the
// form selects a state.
func filterOf(v *view) (f entry.Filter, err error) {
	f = entry.Filter{
		State: viewing.State(v.Typed("state")), Reason: v.Typed("reason"), Account: v.Typed("account"), Source: v.Typed("source"),
		Kind: viewing.KindViewing, Kept: v.Typed("state") == "", Words: strings.TrimSpace(strings.ToValidUTF8(v.Typed("words"), "")),
	}
	if f.State != "" && !f.State.Valid() {
		return f, v.refuse("diary.badState")
	}
	if len(f.Words) > maxSearched || len(strings.Fields(f.Words)) > maxWords {
		return f, v.refuse("diary.badWords")
	}
	if f.Since, err = v.day("from", "diary.badDay"); err != nil {
		return f, err
	}
	if f.Before, err = v.day("to", "diary.badDay"); err == nil && !f.Before.IsZero() {
		f.Before = f.Before.AddDate(0, 0, 1) // includes that day
	}
	return f, err
}
