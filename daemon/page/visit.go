package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/entry"
)

// visit is one request of somebody who is signed in, and what the page for it is
// made of. Templates see its exported fields and methods.
type visit struct {
	locale.Speech
	*http.Request
	Said  []string // what was done, told once
	Fault *fault   // what was refused
	Next  string   // where the browser is led after an act
	Data  any      // what the room shows
	Shown any      // what an act of a preview has found

	site    *Site
	room    room
	session string
	preview bool // the act shows what it would do, on the room's page
}

// fault is what a person is told of a refusal. Detail is a sentence in English,
// for what has none in the catalogue.
type fault struct {
	Text    string
	Details []string
	Hint    string
}

func (s *Site) visit(r *http.Request, room room) *visit {
	id, _ := s.door.session(r)
	return &visit{Speech: locale.In(r.Header.Get("Accept-Language")), Request: r, site: s, room: room, session: id}
}

// ctx ends with the request.
func (v *visit) ctx() context.Context { return v.Request.Context() }

// api is what the instance can be asked.
func (v *visit) api() control.API { return v.site.o.API }

// tell has something said on the next page.
func (v *visit) tell(key string, values ...any) { v.Said = append(v.Said, v.Say(key, values...)) }

// done has something said on the next page, unless the act has failed.
func (v *visit) done(err error, key string, values ...any) error {
	if err == nil {
		v.tell(key, values...)
	}
	return err
}

// fail has the page say what was refused.
func (v *visit) fail(err error) {
	if errors.As(err, new(*refusal)) {
		v.Fault = &fault{Text: err.Error()} // several may be joined
		return
	}
	f, text := control.FaultOf(err), "page.refused"
	if f.Code == control.CodeInternal {
		v.site.o.Log.Error("a page or an act failed", "path", v.URL.Path, "error", err)
		text = "page.failed"
	}
	v.Fault = v.faultOf(text, f)
}

// refuse is a refusal in the words of the catalogue.
func (v *visit) refuse(key string, values ...any) error {
	return &refusal{v.Say(key, values...)}
}

// refusal is what a person typed and we do not take.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// back is where a form asks to be led to; the room's own page for anything that is
// no page of ours.
func (v *visit) back() string {
	back := v.PostFormValue("back")
	_, err := url.Parse(back) // it refuses control characters, which browsers leave out: "/\t/elsewhere"
	if err != nil || !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.Contains(back, `\`) {
		return strings.ReplaceAll(v.room.path, "{id}", url.PathEscape(v.PathValue("id")))
	}
	return back
}

// Here is the address of this page, with its question.
func (v *visit) Here() string {
	if v.Method == http.MethodPost {
		return v.back()
	}
	return v.URL.RequestURI()
}

// Typed is what a person typed into a field: of a form that was refused, or of the
// page's address.
func (v *visit) Typed(name string) string { return v.FormValue(name) }

// Signed reports whether the page is for somebody who is signed in.
func (v *visit) Signed() bool { return v.session != "" }

// Menu are the pages to go to.
func (v *visit) Menu() (links []link) {
	for _, r := range v.site.rooms {
		if r.menu {
			links = append(links, link{r.path, v.Say("page.room." + r.name), r.path == v.room.path})
		}
	}
	return links
}

type link struct {
	Path, Text string
	Here       bool
}

// Title is the name of the page.
func (v *visit) Title() string {
	if v.room.name == "" {
		return v.Say("page.name")
	}
	return v.Say("page.room."+v.room.name) + " – " + v.Say("page.name")
}

// Heading is the name of the room.
func (v *visit) Heading() string { return v.Say("page.room." + v.room.name) }

// Word is a word of a family of texts; the word as it is where the family lacks it.
func (v *visit) Word(family string, word any) string {
	text := fmt.Sprint(word)
	if key := family + strings.ReplaceAll(text, " ", "-"); v.Has(key) {
		return v.Say(key)
	}
	return text
}

// Label names an entry.
func (v *visit) Label(e entry.Entry) string {
	switch {
	case e.List != nil:
		return v.Say("item.list", "name", e.List.Name)
	case e.Media != nil:
		return e.Media.LabelIn(func(word string) string { return v.Say("item." + strings.ReplaceAll(word, " ", "-")) })
	default:
		return e.Label()
	}
}

// faultOf is a refusal of the control API below a text of the page.
func (v *visit) faultOf(text string, f *control.Fault) *fault {
	return &fault{Text: v.Say(text), Details: strings.Split(v.Error(f), "\n"), Hint: v.Message(f.Hint)}
}

// moment is a time for machines and for people.
type moment struct{ At, Text, Ago string }

// When is a time, as the templates "time" and "ago" take it; nil where there is none.
func (v *visit) When(t any) *moment {
	at, ok := t.(time.Time)
	if known, isPointer := t.(*time.Time); isPointer && known != nil {
		at, ok = *known, true
	}
	if !ok || at.IsZero() {
		return nil
	}
	return &moment{at.UTC().Format(time.RFC3339), v.Value(at), v.ago(at)}
}

// ago is how long ago a time is, in the largest unit that is not too coarse.
func (v *visit) ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < time.Minute:
		return v.Say("page.ago.now")
	case d < time.Hour:
		return v.Say("page.ago.minutes", "n", int(d/time.Minute))
	case d < 48*time.Hour:
		return v.Say("page.ago.hours", "n", int(d/time.Hour))
	default:
		return v.Say("page.ago.days", "n", int(d/(24*time.Hour)))
	}
}

// Kept are the fields of a form that asks which one is meant, and is sent again.
func (v *visit) Kept() []string { return []string{"what", "type", "season", "episode", "to", "at"} }
