package page

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// diaryRoom lists all entries, what was watched last first.
func diaryRoom() room {
	return room{path: "/diary", name: "diary", menu: true, show: showDiary, acts: map[string]act{"preview": previewBulk, "do": doBulk}}
}

// How far one page looks for what fits. Whoever has more entries searches further by
// a link.
const (
	pageSize     = 50
	searchWindow = 30 * 24 * time.Hour   // what is looked through at first; more when that was quick
	searchTime   = 15 * time.Millisecond // after which no further window is begun
)

// filterFields are the fields of the form by which entries are chosen.
func filterFields() []string {
	return []string{"words", "state", "reason", "source", "account", "kind", "from", "to"}
}

// diaryData is what the diary shows.
type diaryData struct {
	Rows     []row
	UpTo     int64 // the newest entry that there is
	Older    string
	Further  string // where the search goes on, when it took too long
	Newer    string
	Filtered bool
	Accounts []string
	Bulk     *bulk
}

// row is one entry of a list.
type row struct {
	entry.Entry
	Source string
}

// States are all states, for a choice.
func (diaryData) States() []viewing.State { return viewing.States() }

// Sources are the kinds of source, for a choice.
func (diaryData) Sources() []string { return viewing.Sources() }

// Kinds are the kinds of entry, for a choice.
func (diaryData) Kinds() []viewing.Kind {
	return []viewing.Kind{viewing.KindViewing, viewing.KindWatchlist, viewing.KindList, viewing.KindListItem}
}

// Verbs are what can be done with many entries.
func (diaryData) Verbs() []string {
	return []string{control.Release, control.Hold, control.Retry, control.Drop}
}

// Fields are the form's fields, to be kept by another form.
func (diaryData) Fields() []string { return filterFields() }

func showDiary(v *visit) (any, error) {
	data := &diaryData{}
	data.Bulk, _ = v.Shown.(*bulk) // nil without a preview
	status, err := v.api().Status(v.ctx())
	if err != nil {
		return nil, err
	}
	if len(status.Accounts) > 1 {
		for _, a := range status.Accounts {
			data.Accounts = append(data.Accounts, a.Name)
		}
	}
	if data.UpTo, err = newest(v); err != nil {
		return nil, err
	}
	f, err := filterOf(v)
	if err != nil {
		if v.Fault == nil { // an act says more
			v.fail(err)
		}
		return data, nil
	}
	data.Filtered = f.Chooses()
	past := placeOf(v.Typed("past"))
	found, on, err := search(v, f, past)
	if err != nil {
		return nil, err
	}
	data.link(v, found, on, past)
	for _, e := range found[:min(len(found), pageSize)] {
		data.Rows = append(data.Rows, row{e, v.SourceName(e.Source)})
	}
	return data, nil
}

// link sets where a person can go on from a page.
func (d *diaryData) link(v *visit, found []entry.Entry, on, past entry.Place) {
	to := func(past, newer entry.Place) string {
		values := url.Values{}
		for _, name := range filterFields() {
			if typed := v.Typed(name); typed != "" {
				values.Set(name, typed)
			}
		}
		for name, place := range map[string]entry.Place{"past": past, "newer": newer} {
			if place != (entry.Place{}) {
				values.Set(name, fmt.Sprintf("%d.%d", place.At, place.ID))
			}
		}
		return "/diary?" + values.Encode()
	}
	switch {
	case len(found) > pageSize:
		d.Older = to(found[pageSize-1].Place(), past)
	case on != entry.Place{}:
		d.Further = to(on, past)
	}
	if past != (entry.Place{}) {
		d.Newer = to(placeOf(v.Typed("newer")), entry.Place{})
	}
}

// placeOf reads a place in the diary; what is none leads to the latest.
func placeOf(text string) (p entry.Place) {
	if _, err := fmt.Sscanf(text, "%d.%d", &p.At, &p.ID); err != nil {
		return entry.Place{}
	}
	return p
}

// newest is the id of the newest entry; 0 without any.
func newest(v *visit) (int64, error) {
	list, err := v.api().List(v.ctx(), entry.Filter{Limit: 1})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}

// search finds one entry more than a page has, after a place. When that takes too long
// it gives up, and on is the place after which it goes on; zero at the end.
func search(v *visit, f entry.Filter, past entry.Place) (found []entry.Entry, on entry.Place, err error) {
	begun, window, chosen, till := time.Now(), searchWindow, f.Since, time.Now()
	if past != (entry.Place{}) {
		till = time.UnixMilli(past.At)
	}
	for f.ByTime, f.Past = true, past; ; f.Past = (entry.Place{At: till.UnixMilli()}) {
		quick := time.Now().Add(searchTime / 5)
		till = till.Add(-window)
		last := !till.After(chosen) || till.Before(nothingBefore())
		if f.Since = till; last {
			f.Since = chosen
		}
		f.Limit = pageSize + 1 - len(found)
		some, err := v.api().List(v.ctx(), f)
		if err != nil {
			return nil, entry.Place{}, err
		}
		found = append(found, some...)
		switch {
		case len(found) > pageSize || last:
			return found, entry.Place{}, nil
		case time.Since(begun) > searchTime:
			return found, entry.Place{At: till.UnixMilli()}, nil
		case time.Now().Before(quick):
			window *= 2
		}
	}
}

// nothingBefore is before what anybody has watched.
func nothingBefore() time.Time { return time.Date(1895, time.December, 28, 0, 0, 0, 0, time.UTC) }

// maxWords bounds what is looked for: words, and their length in bytes.
const (
	maxWords    = 20
	maxSearched = 300
)

// filterOf is what a person has chosen.
func filterOf(v *visit) (f entry.Filter, err error) {
	f = entry.Filter{
		State: viewing.State(v.Typed("state")), Reason: v.Typed("reason"), Account: v.Typed("account"), Source: v.Typed("source"),
		Kind: viewing.Kind(v.Typed("kind")), Words: strings.TrimSpace(strings.ToValidUTF8(v.Typed("words"), "")),
	}
	if f.State != "" && !f.State.Valid() {
		return f, v.refuse("diary.badState")
	}
	if len(f.Words) > maxSearched || len(strings.Fields(f.Words)) > maxWords {
		return f, v.refuse("diary.badWords")
	}
	if f.Since, err = dayOf(v, "from"); err != nil {
		return f, err
	}
	if f.Before, err = dayOf(v, "to"); err == nil && !f.Before.IsZero() {
		f.Before = f.Before.AddDate(0, 0, 1) // that day, too
	}
	return f, err
}

// dayOf is the beginning of a day that a person has typed; zero for none.
func dayOf(v *visit, field string) (time.Time, error) {
	typed := v.Typed(field)
	if typed == "" {
		return time.Time{}, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, typed, time.Local)
	if err != nil {
		return day, v.refuse("diary.badDay")
	}
	return day, nil
}

// SourceName is a source in words. A browser's own id says nothing to a person.
func (v *visit) SourceName(source string) string {
	kind, name, _ := strings.Cut(source, ":")
	words := v.Word("now.kind.", kind)
	if kind == viewing.SourceKodi {
		words += " " + name
	}
	return words
}
