package connector_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// scrobble is what Plex posts when a film of a title was watched.
func scrobble(title string) string {
	return `{"event":"media.scrobble","user":true,"Metadata":{"type":"movie","title":"` + title + `","duration":7200000,"Guid":[{"id":"tmdb://603"}]}}`
}

// call is a call of a hook at a path below /v1/hook.
func (r *rig) call(path, body string, headers ...string) posted {
	r.t.Helper()
	request := r.request("", strings.NewReader(body))
	request.URL.Path = "/v1/hook/" + path
	request.Header.Del("Authorization")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	got, err := r.do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// A token is good as a header, as a password and in the path, and is in no line of the log.
func TestHookTokens(t *testing.T) {
	var lines bytes.Buffer
	r := start(t, func(o *connector.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	id, token := r.add("Plex")
	_, browser := r.pair(chromium)
	basic := func(password string) string {
		q, _ := http.NewRequest(http.MethodPost, "/", nil)
		q.SetBasicAuth("anybody", password)
		return q.Header.Get("Authorization")
	}
	for name, c := range map[string]struct {
		path   string
		header []string
		status int
		error  string
	}{
		"bearer":               {"plex", []string{"Authorization", "Bearer " + token}, 200, ""},
		"password":             {"plex", []string{"Authorization", basic(token)}, 200, ""},
		"path":                 {"plex/" + token, nil, 200, ""},
		"path, and a password": {"plex/" + token, []string{"Authorization", basic("mine")}, 200, ""},
		"none":                 {"plex", nil, 401, "TOKEN_REQUIRED"},
		"wrong bearer":         {"plex", []string{"Authorization", "Bearer x" + token}, 401, "TOKEN_REQUIRED"},
		"wrong password":       {"plex", []string{"Authorization", basic(token + "x")}, 401, "TOKEN_REQUIRED"},
		"wrong path":           {"plex/x" + token, []string{"Authorization", "Bearer " + token}, 401, "TOKEN_REQUIRED"},
		"a browser's token":    {"plex/" + browser, nil, 401, "TOKEN_REQUIRED"},
		"a browser":            {"plex/" + token, []string{"Sec-Fetch-Site", "cross-site"}, 403, "BROWSER_REFUSED"},
		"a page":               {"plex/" + token, []string{"Origin", "http://127.0.0.1"}, 403, "BROWSER_REFUSED"},
		"an unknown sender":    {"vlc/" + token, nil, 404, "UNKNOWN_SENDER"},
	} {
		if got := r.call(c.path, scrobble(name), c.header...); got.status != c.status || got.Error != c.error {
			t.Errorf("%s: %d %s", name, got.status, got.Error)
		}
	}
	r.stop()
	if strings.Contains(lines.String(), token) || strings.Contains(lines.String(), browser) {
		t.Error("a token is in the log")
	}
	if kept := r.sink.kept(); len(kept) != 4 || r.sink.batches[0].Source != "program:"+id {
		t.Errorf("kept %+v", kept)
	}
}

// Whatever a program sends, it is answered so that it sends the next one, too, and the last
// call is told.
func TestHookResults(t *testing.T) {
	status := func(s viewing.Status) func(viewing.Batch) ([]viewing.Outcome, error) {
		return func(b viewing.Batch) ([]viewing.Outcome, error) { return outcomes(b, s), nil }
	}
	full := func(viewing.Batch) ([]viewing.Outcome, error) { return nil, errors.New("disk full at /secret") }
	guest := strings.Replace(scrobble("A"), `"user":true`, `"user":false`, 1)
	for name, c := range map[string]struct {
		body         string
		sink         func(viewing.Batch) ([]viewing.Outcome, error)
		status       int
		error        string
		result, told string // of the last call: its result, event and title
	}{
		"taken":          {scrobble("A"), nil, 200, "", "queued", "media.scrobble A"},
		"filtered":       {scrobble("A"), status(viewing.StatusDropped), 200, "", "dropped", "media.scrobble A"},
		"known":          {scrobble("A"), status(viewing.StatusDuplicate), 200, "", "duplicate", "media.scrobble A"},
		"at other times": {scrobble("A"), status(viewing.StatusConflict), 200, "", "duplicate", "media.scrobble A"},
		"no storage":     {scrobble("A"), full, 503, "STORAGE", "storage", "media.scrobble A"},
		"a pause":        {strings.Replace(scrobble("A"), "scrobble", "pause", 1), nil, 200, "", "going", "media.pause A"},
		"a guest":        {guest, nil, 200, "", "somebody", "media.scrobble "},
		"no message":     {`{}`, nil, 400, "BAD_MESSAGE", "unreadable", " "},
		"too large":      {strings.Repeat(" ", 10<<20+1), nil, 413, "TOO_LARGE", "", " "},
	} {
		t.Run(name, func(t *testing.T) {
			shown := ""
			r := start(t, func(o *connector.Options) {
				o.Sink = &sink{answer: c.sink}
				o.Playing = func(source string, m protocol.Playing) { shown = source + m.State + m.Media.Title }
			})
			id, token := r.add("Plex")
			got := r.call("plex/"+token, c.body)
			if got.status != c.status || got.Error != c.error || c.status == 200 && got.Result != c.result {
				t.Errorf("answered %d %s %s", got.status, got.Error, got.Result)
			}
			if (got.header.Get("Retry-After") != "") != (c.status == 503) {
				t.Errorf("headers %v", got.header)
			}
			last, called := r.server.LastCall(id)
			if last.Result != c.result || last.Event+" "+last.Title != c.told || called && last.Sender != "plex" {
				t.Errorf("last call %+v", last)
			}
			if want := map[bool]string{true: "program:" + id + "pausedA"}[name == "a pause"]; shown != want {
				t.Errorf("%q plays", shown)
			}
			if kept := r.sink.kept(); len(kept) > 0 != (c.result == "queued") {
				t.Errorf("kept %v", kept)
			}
		})
	}
}
