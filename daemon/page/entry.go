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
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// entryRoom tells all about one entry.
func entryRoom() room {
	return room{path: "/diary/{id}", name: "entry", show: showEntry, acts: entryActs()}
}

// entryData is what the page of an entry shows.
type entryData struct {
	subject
	Life []moved
}

// subject is an entry with what can be done about it, as the template "acts" takes it.
type subject struct {
	*visit
	Entry entry.Entry
	Why   string
	Base  string // where its forms go
	Stand string // how it stands; a form says it again, so that an older page does no harm
	Can   can
	Fixed *control.Fixed      // what a search has found for it
	May   []resolve.Candidate // what it may be: found by that search, or else before
	Taken *control.Undone     // what taking it back would do
}

// can is what can be done about an entry.
type can struct{ Retry, Hold, Release, Settle, Drop, Undo, Time, Fix bool }

// moved is one thing in the life of an entry.
type moved struct {
	At     time.Time
	What   string
	Detail string
	Link   string // the page where it was seen
}

func showEntry(v *visit) (any, error) {
	x, err := named(v)
	if err != nil {
		return nil, err
	}
	return &entryData{about(v, x, fmt.Sprintf("/diary/%d", x.ID)), lifeOf(v, x)}, nil
}

// named is the entry that a page or a form names.
func named(v *visit) (control.Explanation, error) {
	id, err := strconv.ParseInt(cmp.Or(v.PathValue("id"), v.PostFormValue("id")), 10, 64)
	if err != nil {
		return control.Explanation{}, v.refuse("diary.noEntry")
	}
	return v.api().Explain(v.ctx(), id)
}

// about is an entry with what can be done about it, by forms that go to base.
func about(v *visit, x control.Explanation, base string) subject {
	e := x.Entry
	s := subject{visit: v, Entry: e, Why: v.Tell(x.Why), Base: base, Stand: stands(e), Can: canDo(e)}
	if !s.Placeless() {
		s.May = x.Candidates
	}
	switch shown := v.Shown.(type) {
	case *control.Fixed:
		if shown.Entry.ID == e.ID {
			s.Fixed, s.May = shown, shown.Candidates
		}
	case *control.Undone:
		s.Taken = shown
	}
	for i := range s.May {
		s.May[i].Title = typed.Shortened(s.May[i].Title)
	}
	return s
}

// stands is how an entry stands. It is another text after each change by a person, and
// after each request.
func stands(e entry.Entry) string {
	return fmt.Sprintf("%s %s %d %d %d", e.State, e.Reason, e.Revision, e.Attempts, e.WatchedAt.Millis)
}

// canDo is what a page offers for an entry as it stands.
func canDo(e entry.Entry) can {
	actions := e.Actions(time.Now())
	may := func(v entry.Verb) bool { return slices.Contains(actions, v) }
	return can{
		Retry:   may(entry.VerbRetry),
		Hold:    may(entry.VerbHold),
		Release: may(entry.VerbRelease),
		Settle:  may(entry.VerbSettle),
		Drop:    may(entry.VerbDrop),
		Undo:    may(entry.VerbUndo),
		Time:    may(entry.VerbEdit) && e.Kind == viewing.KindViewing,
		Fix:     may(entry.VerbFix),
	}
}

// lifeOf is all that happened to an entry, in order of time.
func lifeOf(v *visit, x control.Explanation) (life []moved) {
	for _, w := range x.Events {
		from := w.Seen.Origin
		detail := from.Note
		for _, part := range []string{from.Site, from.Path} {
			if part != "" {
				detail = part + ". " + detail
			}
		}
		link := ""
		if strings.HasPrefix(from.URL, "https://") || strings.HasPrefix(from.URL, "http://") {
			link = from.URL
		}
		life = append(life, moved{w.At, v.Say("diary.seen", "source", v.SourceName(w.Source)), detail, link})
	}
	for _, s := range x.Steps {
		family, _, _ := strings.Cut(s.Code, ".")
		life = append(life, moved{At: s.At, What: v.Word("diary.step.", family), Detail: v.Step(s)})
	}
	for _, r := range x.Requests {
		answer := r.Answer // the service's own words stay as they are
		if r.Cause != nil {
			answer = v.Message(*r.Cause)
		}
		if r.Status != 0 {
			answer = fmt.Sprintf("HTTP %d. %s", r.Status, answer)
		}
		life = append(life, moved{At: r.At, What: v.Say("diary.request", "n", r.Number), Detail: answer})
	}
	slices.SortStableFunc(life, func(a, b moved) int { return a.At.Compare(b.At) })
	return life
}

// Clock is when it was watched, as an input of a date and a time has it.
func (s subject) Clock() string {
	return s.Entry.WatchedAt.Time().Local().Format("2006-01-02T15:04:05")
}

// Subject is what the forms are about.
func (d entryData) Subject() subject { return d.subject }

// button is one verb that fits a subject.
type button struct {
	On             subject
	Verb, As, Text string
	Main           bool
}

// Verbs are the buttons of a subject.
func (s subject) Verbs() (all []button) {
	add := func(shown bool, verb, as, text string) {
		if shown {
			all = append(all, button{s, verb, as, s.Say(text), len(all) == 0 && verb != control.Drop})
		}
	}
	add(s.Can.Release, control.Release, "", "diary.do.release")
	add(s.Can.Retry, control.Retry, "", "diary.do.retry")
	add(s.Can.Settle, control.Settle, string(viewing.StateDelivered), "diary.settle.delivered")
	add(s.Can.Settle, control.Settle, string(viewing.StateRejected), "diary.settle.rejected")
	add(s.Can.Undo && s.Taken == nil, "undo", "", "diary.undo")
	add(s.Can.Hold, control.Hold, "", "diary.do.hold")
	add(s.Can.Drop, control.Drop, "", "diary.do.drop")
	return all
}

// Unnamed reports whether nobody knows yet what it is.
func (s subject) Unnamed() bool { return s.Entry.Media != nil && !s.Entry.Media.Identified() }

// Series reports whether it is the series that is chosen, not a film.
func (s subject) Series() bool { return s.Entry.Media.Type == viewing.Episode }

// PlaceFields are the fields of an episode's place, which a person may have typed.
func (subject) PlaceFields() []string { return []string{"season", "episode"} }

// Place is what a person typed into such a field of this entry.
func (s subject) Place(field string) string {
	if s.Fixed == nil {
		return ""
	}
	return s.Typed(field)
}

// Item is the item by its numbers.
func (s subject) Item() string {
	if s.Entry.Media == nil {
		return ""
	}
	return s.Entry.Media.Key()
}

// Source is where it was seen, in words.
func (s subject) Source() string { return s.SourceName(s.Entry.Source) }

// Placeless reports whether an episode lacks its season or number.
func (s subject) Placeless() bool {
	m := s.Entry.Media
	return m != nil && m.Type == viewing.Episode && (m.Season == nil || m.Episode == nil)
}

// Words are what is looked for at first: the title.
func (s subject) Words() string {
	switch m := s.Entry.Media; {
	case s.Fixed != nil:
		return s.Typed("what")
	case m.Show != nil && m.Show.Title != "":
		return m.Show.Title
	default:
		return m.Title
	}
}
