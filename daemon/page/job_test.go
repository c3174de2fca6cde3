package page

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
)

// slowImport is an API whose imports end when they are canceled, or let go.
func slowImport(asked chan<- control.KodiImport, let <-chan error) control.API {
	api := fakeAPI()
	api.Clients = func(context.Context) ([]control.ClientInfo, error) { return nil, nil }
	api.FindKodi = func(context.Context) ([]kodi.Library, error) { return nil, nil }
	api.KodiProgress = func(context.Context) ([]control.KodiProgress, error) {
		return []control.KodiProgress{{Userdata: "/userdata", Running: true, Done: 100, Total: 400, StartedAt: time.Now().Add(-10 * time.Second)}}, nil
	}
	api.ImportKodi = func(ctx context.Context, o control.KodiImport) (control.KodiImported, error) {
		asked <- o
		p := kodi.NewPreview()
		p.Films = 400
		did := control.KodiImported{DryRun: o.DryRun, Libraries: []kodi.Preview{p}, NeedsYes: true}
		select {
		case <-ctx.Done():
			return control.KodiImported{}, ctx.Err()
		case err := <-let:
			return did, err
		}
	}
	return api
}

// TestImportIsStoppedAndGoesOn: there is one job at a time. An import needs a preview that
// has ended well; one that was stopped goes on with what the person had asked for.
func TestImportIsStoppedAndGoesOn(t *testing.T) {
	asked, let := make(chan control.KodiImport, 9), make(chan error)
	s, server := newSite(t, slowImport(asked, let))
	cookie := signIn(t, s, server)
	post := func(want int, text, name string, form url.Values) {
		t.Helper()
		answer, body := do(t, "POST", server.URL+"/sources/"+name, form.Encode(), "Cookie", cookie)
		if answer.StatusCode != want || !strings.Contains(body, text) {
			t.Errorf("%s: %s, want %q:\n%s", name, answer.Status, text, body)
		}
	}
	shows := func(texts ...string) string {
		t.Helper()
		_, page := do(t, "GET", server.URL+"/sources", "", "Cookie", cookie)
		for _, text := range texts {
			if !strings.Contains(page, text) {
				t.Errorf("the page does not say %q:\n%s", text, page)
			}
		}
		return page
	}
	ends := func(do func()) { changed := s.localChange(); do(); <-changed }
	const done = http.StatusSeeOther

	post(done, "", "preview", nil)
	<-asked
	ends(func() { post(done, "", "stop", nil) })
	post(422, "Preview the import first", "import", nil) // that preview was stopped
	post(done, "", "preview", nil)
	<-asked
	ends(func() { let <- errors.New("sql: secret") })
	if page := shows("Details are in the log"); strings.Contains(page, "secret") {
		t.Errorf("the page says why it failed:\n%s", page)
	}
	post(422, "Preview the import first", "import", nil) // that one failed

	post(done, "", "preview", url.Values{"since": {"2024-01-01"}})
	preview := <-asked
	ends(func() { let <- nil })
	post(422, "Tick that you import all the same", "import", nil)
	post(done, "", "import", url.Values{"yes": {"yes"}})
	first := <-asked
	if first.DryRun || !first.Yes || first.Since != preview.Since || preview.Since.IsZero() {
		t.Errorf("previewed %+v, imported %+v", preview, first)
	}
	shows(`max="400" value="100"`, "100 of 400 imported", ">Pause<")
	post(422, "is running", "preview", nil)
	ends(func() { post(done, "", "stop", nil) })
	shows("Continue", "stopped early")
	post(done, "", "import", nil)
	if again := <-asked; again != first {
		t.Errorf("it goes on with %+v, not %+v", again, first)
	}
	ends(func() { let <- nil })
	if page := shows("400 viewings imported"); strings.Contains(page, "to send") {
		t.Errorf("the finished import is still to do:\n%s", page)
	}
	post(422, "Preview the import first", "import", nil)
	post(done, "", "preview", nil)
	<-asked
	s.Close() // waits for the job
	post(422, "is running", "preview", nil)
	if j := s.lastJob(); j.Running || !j.Canceled {
		t.Errorf("after the end: %+v", j)
	}
}
