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

// view is one request and the data of its page. Templates use its exported fields and methods.
type view struct {
	locale.Speech
	*http.Request
	Status  control.Status // with rendered texts; see load
	Flashes []string       // reports of an act
	Fault   *fault         // a refusal
	Next    string         // the address to redirect to after an act
	Data    any            // the data of the page
	Result  any            // the result of an act that shows its own page
	Main    template.HTML  // the page within the layout
	On      string         // the address after signing in

	site *Site
	page page
	stay bool // show the act's own page with Result instead of a redirect
}

// fault is a rendered refusal.
type fault struct {
	Text    string
	Details []string
	Hint    string
}

func (s *Site) view(r *http.Request, p page) *view {
	return &view{Speech: locale.In(r.Header.Get("Accept-Language")), Request: r, site: s, page: p}
}

// load reads the status, which every page shows in its header.
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

// done shows a text on the next page if err is nil, and returns err.
func (v *view) done(err error, key string, values ...any) error {
	if err == nil {
		v.flash(key, values...)
	}
	return err
}

// result has the act's own page show found if err is nil, and returns err.
func (v *view) result(found any, err error) error {
	if v.stay = err == nil; v.stay {
		v.Result = found
	}
	return err
}

// fail sets the fault of a refused page or act, and returns its HTTP status.
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

// refusal is the reason why a form is not accepted.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// refuse returns a refusal.
func (v *view) refuse(key string, values ...any) error {
	return &refusal{v.Say(key, values...)}
}

// unread turns an error about a typed text into a refusal.
func (v *view) unread(err error) error {
	if m, ok := errors.AsType[viewing.Message](err); ok {
		return &refusal{v.Message(m)}
	}
	return err
}

// back returns the address of this site that the form wants to return to, else the act's own page.
func (v *view) back() string {
	back := v.PostFormValue("back")
	_, err := url.Parse(back) // refuses control characters, which browsers ignore: "/\t/elsewhere"
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

// Base returns the prefix of the addresses of the page's acts.
func (v *view) Base() string { return strings.TrimSuffix(v.page.Path, "/") }

// Typed returns a field of the submitted form or of the query.
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

// Waiting returns how many entries need a person's decision.
func (v *view) Waiting() int64 { return v.Status.NeedUser() }

// Heading returns the title of the page.
func (v *view) Heading() string { return v.Say("page.title." + v.page.Name) }

// moment is a time in RFC 3339 and in words.
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
