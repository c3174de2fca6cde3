package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// card is an entry with its possible acts, for the template "acts".
type card struct {
	*view
	Entry      entry.Entry
	Why        string
	Base       string // the prefix of the addresses of its forms
	Page       string // the address of the page where it was watched
	Untitled   string // the site whose videos without a title can be ignored
	Version    string // each form sends it, so that a form of an outdated page is refused
	Searched   bool   // the candidates are the result of a search
	Candidates []resolve.Candidate
	Undo       *control.Undone // preview of an undo
	Others     int64           // how many more viewings of the same title wait
	actions    []entry.Verb

	Season, Episode *int // as typed; nil for none
}

// entryData is what the page of an entry shows.
type entryData struct {
	Card   card
	Life   []lifeEvent
	Others []item // other viewings of the same item
}

// lifeEvent is one event in the history of an entry.
type lifeEvent struct {
	At           time.Time
	What, Detail string
}

func showEntry(v *view) (any, error) {
	x, err := v.explain()
	if err != nil {
		return nil, err
	}
	d := &entryData{Card: newCard(v, x, fmt.Sprintf("/diary/%d", x.ID)), Life: lifeOf(v, x)}
	if key := x.Key(); key != "" && x.Kind == viewing.KindViewing {
		others, err := v.api().List(v.ctx(), entry.Filter{Kind: viewing.KindViewing, Kept: true, Item: key, ByTime: true, Limit: maxOthers + 1})
		if err != nil {
			return nil, err
		}
		d.Others = v.items(slices.DeleteFunc(others, func(e entry.Entry) bool { return e.ID == x.ID }))
	}
	return d, nil
}

// maxOthers is how many other viewings of an item its page shows.
const maxOthers = 10

// explain returns the entry whose id is in the address or the form.
func (v *view) explain() (control.Explanation, error) {
	id, err := strconv.ParseInt(cmp.Or(v.PathValue("id"), v.PostFormValue("id")), 10, 64)
	if err != nil {
		return control.Explanation{}, v.refuse("diary.noEntry")
	}
	return v.api().Explain(v.ctx(), id)
}

func newCard(v *view, x control.Explanation, base string) card {
	c := card{view: v, Entry: x.Entry, Why: v.Tell(x.Why), Base: base, Version: version(x.Entry), actions: x.Actions(time.Now())}
	for _, w := range x.Events {
		from := w.Event.Origin
		if strings.HasPrefix(from.URL, "https://") || strings.HasPrefix(from.URL, "http://") {
			c.Page = cmp.Or(c.Page, from.URL)
		}
		if x.Media != nil && x.Media.Nameless() && c.Can(string(entry.VerbDrop)) {
			c.Untitled = cmp.Or(c.Untitled, from.Site)
		}
	}
	if !c.NeedsPlace() {
		c.Candidates = x.Candidates
	}
	switch found := v.Result.(type) {
	case *control.Fixed:
		c.Searched, c.Candidates, c.Season, c.Episode = true, found.Candidates, found.Season, found.Episode
	case *control.Undone:
		c.Undo = found
	}
	return c
}

// version differs after each change of an entry by a person, its source or a request.
func version(e entry.Entry) string {
	return fmt.Sprint(e.State, " ", e.Reason, " ", e.Revision, " ", e.Attempts)
}

// lifeOf returns the history of an entry, oldest first.
func lifeOf(v *view, x control.Explanation) (life []lifeEvent) {
	for _, w := range x.Events {
		from := w.Event.Origin
		e := lifeEvent{At: w.At, What: v.Say("diary.seen", "source", v.Source(w.Source))}
		e.Detail = strings.Join(slices.DeleteFunc([]string{from.Path, from.Site, v.Message(from.Note)}, func(s string) bool { return s == "" }), ". ")
		life = append(life, e)
	}
	for _, s := range x.Steps {
		life = append(life, lifeEvent{At: s.At, What: v.Step(s)})
	}
	for _, r := range x.Requests {
		e := lifeEvent{At: r.At, What: v.Say("diary.request", "n", r.Number), Detail: r.Answer}
		if r.Cause != nil {
			e.Detail = v.Message(*r.Cause)
		}
		if r.Status != 0 {
			e.Detail = fmt.Sprintf("HTTP %d. %s", r.Status, e.Detail)
		}
		life = append(life, e)
	}
	slices.SortStableFunc(life, func(a, b lifeEvent) int { return a.At.Compare(b.At) })
	return life
}

// Alike reports whether another candidate has the same title and year, so that the number must be
// shown.
func (c card) Alike(is resolve.Candidate) bool {
	return slices.ContainsFunc(c.Candidates, func(o resolve.Candidate) bool {
		return o.TMDB != is.TMDB && o.Title == is.Title && o.Year == is.Year
	})
}

// button is an act without further input.
type button struct {
	Verb entry.Verb
	As   viewing.State
	Key  string // of its text
	Look string
}

// Buttons returns the possible acts without further input, the most useful first.
func (c card) Buttons() []button {
	return slices.DeleteFunc([]button{
		{entry.VerbRelease, "", "diary.do.release", "main"},
		{entry.VerbRetry, "", "diary.do.retry", ""},
		{entry.VerbRecheck, "", "diary.do.recheck", "main"},
		{entry.VerbSettle, viewing.StateDelivered, "diary.settle.delivered", ""},
		{entry.VerbSettle, viewing.StateRejected, "diary.settle.rejected", ""},
		{entry.VerbHold, "", "diary.do.hold", "quiet"},
		{entry.VerbUndo, "", "diary.undo", "quiet"},
		{entry.VerbDrop, "", "diary.do.drop", "quiet"},
	}, func(b button) bool { return !c.Can(string(b.Verb)) || b.Verb == entry.VerbUndo && c.Undo != nil })
}

// Can reports whether a verb fits the entry.
func (c card) Can(verb string) bool { return slices.Contains(c.actions, entry.Verb(verb)) }

// Placeless reports whether an episode lacks its season or number.
func (c card) Placeless() bool {
	m := c.Entry.Media
	return m != nil && m.Type == viewing.Episode && (m.Season == nil || m.Episode == nil)
}

// NeedsPlace reports whether a person must give season and number. Otherwise the episode's name may
// be enough once the series is known.
func (c card) NeedsPlace() bool {
	m := c.Entry.Media
	return c.Placeless() && (m.Title == "" || m.Show != nil && m.Show.IDs.TMDB > 0)
}

// Words returns the searched words, at first the title.
func (c card) Words() string {
	if c.Searched {
		return c.Typed("what")
	}
	m := c.Entry.Media
	return cmp.Or(resolve.ClueOf(*m).Title, m.Title)
}
