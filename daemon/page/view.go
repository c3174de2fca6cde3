package page

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/health"
	"github.com/filmspool/filmspool/daemon/locale"
	"github.com/filmspool/filmspool/queue/viewing"
)

// view is one request of a browser that is signed in, with what its page is made of.
// Templates use its exported fields and methods.
type view struct {
	locale.Speech
	*http.Request
	Status  control.Status // how everything stands, in words; see load
	Flashes []string       // what an act has done
	Fault   *fault         // what was refused
	Next    string         // where the browser is led after an act
	Data    any            // what the page shows
	Result  any            // what an act that stays has found
	Main    template.HTML  // the page within the layout
	On      string         // where a browser is led that signs in

	site *Site
	page page
	stay bool // the act's own page follows, with Result
}

// fault is a refusal in words.
type fault struct {
	Text    string
	Details []string
	Hint    string
}

func (s *Site) view(r *http.Request, p page) *view {
	return &view{Speech: locale.In(r.Header.Get("Accept-Language")), Request: r, site: s, page: p}
}

// load reads how everything stands, for the page that is shown.
func (v *view) load() (err error) {
	if v.Status, err = v.api().Status(v.ctx()); err == nil {
		v.Names = v.Status.SourceNames()
		health.Render(v.Speech, &v.Status)
	}
	return err
}

func (v *view) ctx() context.Context { return v.Request.Context() }

func (v *view) api() control.API { return v.site.o.API }

// flash shows a text on the next page.
func (v *view) flash(key string, values ...any) { v.Flashes = append(v.Flashes, v.Say(key, values...)) }

// done shows a text on the next page, unless the act has failed.
func (v *view) done(err error, key string, values ...any) error {
	if err == nil {
		v.flash(key, values...)
	}
	return err
}

// result has the act's own page show what it found, unless it has failed.
func (v *view) result(found any, err error) error {
	if v.stay = err == nil; v.stay {
		v.Result = found
	}
	return err
}

// fail shows why a page or an act was refused. It returns the HTTP status of that.
func (v *view) fail(err error) int {
	if errors.As(err, new(*refusal)) {
		v.Fault = &fault{Text: err.Error()} // several may be joined
		return http.StatusUnprocessableEntity
	}
	f := control.FaultOf(err)
	v.Fault = v.faultOf(f)
	switch f.Code {
	case control.CodeInternal:
		v.site.o.Log.Error("a page or an act failed", "path", v.URL.Path, "error", err)
		return http.StatusInternalServerError
	case control.CodeNotFound:
		return http.StatusNotFound
	default:
		return http.StatusUnprocessableEntity
	}
}

// faultOf renders a refusal of the control API.
func (v *view) faultOf(f *control.Fault) *fault {
	switch f.Code {
	case control.CodeInternal:
		return &fault{Text: v.Say("page.failed")}
	case control.CodeNotFound:
		return &fault{Text: locale.Sentence(v.Error(f))}
	}
	refused := &fault{Text: v.Say("page.refused"), Details: strings.Split(v.Error(f), "\n")}
	if f.Hint.Code != "hint.command" { // the page has buttons for that
		refused.Hint = v.Message(f.Hint)
	}
	return refused
}

// refusal says why a form is not accepted.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// refuse makes a refusal.
func (v *view) refuse(key string, values ...any) error {
	return &refusal{v.Say(key, values...)}
}

// unread makes a refusal of an error about a text that a person has typed.
func (v *view) unread(err error) error {
	if m, ok := errors.AsType[viewing.Message](err); ok {
		return &refusal{v.Message(m)}
	}
	return err
}

// back returns where a form asks to be led: the act's own page for any address that is
// not a page of ours.
func (v *view) back() string {
	back := v.PostFormValue("back")
	_, err := url.Parse(back) // refuses control characters, which browsers leave out: "/\t/elsewhere"
	if err != nil || !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.Contains(back, `\`) {
		return strings.ReplaceAll(v.page.Path, "{id}", url.PathEscape(v.PathValue("id")))
	}
	return back
}

// Here returns the address of this page with its query.
func (v *view) Here() string {
	if v.Method == http.MethodPost {
		return v.back()
	}
	return v.URL.RequestURI()
}

// Base returns the address below which the page's acts are.
func (v *view) Base() string { return strings.TrimSuffix(v.page.Path, "/") }

// Typed returns a field of the form that was sent, or of the address.
func (v *view) Typed(name string) string { return v.FormValue(name) }

// SignedIn reports whether the browser is signed in.
func (v *view) SignedIn() bool { return v.page.Path != "" }

// HasPosters reports whether TMDB is on.
func (v *view) HasPosters() bool { return v.site.o.Poster != nil }

// Poster returns the address of the picture of a film or series; "" where TMDB is off or
// the number is not known.
func (v *view) Poster(kind viewing.MediaType, number int64) string {
	if !v.HasPosters() || number == 0 {
		return ""
	}
	return fmt.Sprintf("/poster/%s/%d", kind, number)
}

// Menu returns the pages of the menu.
func (v *view) Menu() []page {
	return slices.DeleteFunc(pages(), func(p page) bool { return !p.menu })
}

// Waiting returns how many entries wait for a person.
func (v *view) Waiting() int64 { return control.NeedUser(v.Status.Counts) }

// Heading returns the title of the page.
func (v *view) Heading() string { return v.Say("page.title." + v.page.Name) }

// moment is a time for machines and for people.
type moment struct{ At, Text, Ago string }

// When returns a time for the templates "time" and "ago"; nil for none.
func (v *view) When(t any) *moment {
	at, ok := t.(time.Time)
	if known, isPointer := t.(*time.Time); isPointer && known != nil {
		at, ok = *known, true
	}
	if !ok || at.IsZero() {
		return nil
	}
	return &moment{at.UTC().Format(time.RFC3339), v.Moment(at, time.Now()), v.ago(at)}
}

func (v *view) ago(t time.Time) string {
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

// day returns the beginning of the day in a field; zero for an empty field.
func (v *view) day(field, refusal string) (time.Time, error) {
	typed := v.Typed(field)
	if typed == "" {
		return time.Time{}, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, typed, time.Local)
	if err != nil {
		return day, v.refuse(refusal)
	}
	return day, nil
}

// placeOf writes the place of an episode: "S01E02"; "" where it is not known.
func placeOf(season, episode *int) string {
	if season == nil || episode == nil {
		return ""
	}
	return fmt.Sprintf("S%02dE%02d", *season, *episode)
}
