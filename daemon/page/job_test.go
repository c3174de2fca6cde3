package page

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/scan"
)

// slowImport is an API whose imports end when they are cut short, or let go.
func slowImport(asked chan<- control.KodiImport, let <-chan error) control.API {
	api := fakeAPI()
	api.Clients = func(context.Context) ([]control.ClientInfo, error) { return nil, nil }
	api.FindKodi = func(context.Context) ([]scan.Library, error) { return nil, nil }
	api.KodiProgress = func(context.Context) ([]control.KodiProgress, error) {
		return []control.KodiProgress{{
			Userdata: "/userdata", Running: true, Done: 100, Total: 400, StartedAt: time.Now().Add(-10 * time.Second),
		}}, nil
	}
	api.ImportKodi = func(ctx context.Context, o control.KodiImport) (control.KodiImported, error) {
		asked <- o
		if o.DryRun {
			p := scan.NewPreview()
			p.Films = 400
			return control.KodiImported{DryRun: true, Libraries: []scan.Preview{p}, NeedsYes: true}, nil
		}
		select {
		case <-ctx.Done():
			return control.KodiImported{}, ctx.Err()
		case err := <-let:
			return control.KodiImported{}, err
		}
	}
	return api
}

// TestImportIsPausedAndGoesOn: one job at a time; what was cut short goes on with what
// the person had asked for; a failure is told, and nothing goes on from it.
func TestImportIsPausedAndGoesOn(t *testing.T) {
	asked, let := make(chan control.KodiImport, 9), make(chan error)
	s, server := newSite(t, slowImport(asked, let))
	cookie := signIn(t, s, server)
	post := func(name string, form url.Values) (int, string) {
		answer, text := do(t, "POST", server.URL+"/sources/"+name, form.Encode(), "Cookie", cookie)
		return answer.StatusCode, text
	}
	page := func() string { _, text := do(t, "GET", server.URL+"/sources", "", "Cookie", cookie); return text }
	done := func(do func()) { news := s.news(); do(); <-news }

	done(func() { post("preview", url.Values{"since": {"2024-01-01"}, "plays": {"all"}}) })
	preview := <-asked
	if code, text := post("import", nil); code != 422 || !strings.Contains(text, "Tick that you import all the same") {
		t.Errorf("without a yes: %d", code)
	}
	if code, _ := post("import", url.Values{"yes": {"yes"}}); code != http.StatusSeeOther {
		t.Errorf("with a yes: %d", code)
	}
	first := <-asked
	if first.DryRun || !first.Yes || first.Since != preview.Since || first.Plays != control.PlaysAll || preview.Since.IsZero() {
		t.Errorf("previewed %+v, imported %+v", preview, first)
	}
	for _, want := range []string{`max="400" value="100"`, "100 of 400 are on disk", "10 in a second", "about 30 seconds left", ">Pause<"} {
		if text := page(); !strings.Contains(text, want) {
			t.Errorf("an import that runs does not say %q:\n%s", want, text)
		}
	}
	if code, text := post("scan", nil); code != 422 || !strings.Contains(text, "under way") {
		t.Errorf("a scan meanwhile: %d", code)
	}
	done(func() { post("pause", nil) })
	if text := page(); !strings.Contains(text, "Go on") || !strings.Contains(text, "ended before it was through") {
		t.Errorf("paused:\n%s", text)
	}
	if code, _ := post("import", nil); code != http.StatusSeeOther {
		t.Errorf("to go on: %d", code)
	}
	if again := <-asked; again != first {
		t.Errorf("it goes on with %+v, not %+v", again, first)
	}
	done(func() { let <- errors.New("sql: <secret>") })
	if text := page(); !strings.Contains(text, "The log says more") || strings.Contains(text, "secret") || strings.Contains(text, "Go on</button>") {
		t.Errorf("failed:\n%s", text)
	}
	if code, _ := post("import", nil); code != 422 {
		t.Errorf("an import after one that failed: %d", code)
	}
}

// TestCloseEndsAJob: a daemon that stops waits for no import.
func TestCloseEndsAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan control.KodiImport, 1)
		s, err := New(Options{API: slowImport(asked, nil), Secret: make([]byte, 32)})
		if err != nil {
			t.Fatal(err)
		}
		if !s.begin(job{Kind: importing}) || s.begin(job{Kind: scanning}) {
			t.Error("there is one job at a time")
		}
		<-asked
		s.Close()
		if j := s.lastJob(); j.Running || !j.Cut || s.begin(j) {
			t.Errorf("after the end: %+v", j)
		}
	})
}

// TestWhatWasSaidIsToldOnce, to the session that it was said to, also by a program that
// has begun anew; nobody else can say anything.
func TestWhatWasSaidIsToldOnce(t *testing.T) {
	s, server := newSite(t, slowImport(make(chan control.KodiImport, 1), nil))
	cookie := signIn(t, s, server)
	s.begin(job{Kind: importing})
	answer, _ := do(t, "POST", server.URL+"/sources/pause", "", "Cookie", cookie)
	if len(answer.Cookies()) != 1 {
		t.Fatalf("%d cookies", len(answer.Cookies()))
	}
	said := saidCookie + "=" + answer.Cookies()[0].Value
	again, anew := newSite(t, slowImport(make(chan control.KodiImport, 1), nil))
	for _, c := range []struct {
		name, cookie string
		told         bool
	}{
		{"its own session", cookie + "; " + said, true},
		{"another session", signIn(t, again, anew) + "; " + said, false},
		{"one that was changed", cookie + "; " + said[:len(said)-4] + "AAAA", false},
		{"one without a proof", cookie + "; " + saidCookie + "=WyJhIl0", false},
	} {
		answer, text := do(t, "GET", anew.URL+"/sources", "", "Cookie", c.cookie)
		if strings.Contains(text, "What is on disk stays") != c.told {
			t.Errorf("%s:\n%s", c.name, text)
		}
		if gone := answer.Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
			t.Errorf("%s: it would be told again", c.name)
		}
	}
}
