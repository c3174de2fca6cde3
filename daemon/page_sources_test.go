package daemon

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pageClient is a browser without JavaScript that is signed in to the pages.
type pageClient struct {
	*runningDaemon
	address, host, cookie string
	language              string
}

func surf(b *runningDaemon) *pageClient {
	b.Helper()
	return signIn(b, b.d.Control(), b.address)
}

// signIn signs in at an address. b only provides the test.
func signIn(b *runningDaemon, ctl control.API, address string) *pageClient {
	b.Helper()
	o, err := ctl.Open(b.Context(), "")
	must(b, err)
	s := &pageClient{runningDaemon: b, address: address, host: strings.TrimPrefix(o.URL, "http://"), language: "en"}
	answer, _ := s.ask("POST", "/in", url.Values{"ticket": {o.Ticket}})
	for _, c := range answer.Cookies() {
		s.cookie = c.Name + "=" + c.Value
	}
	if s.cookie == "" {
		b.Fatalf("not signed in: %s", answer.Status)
	}
	return s
}

// request returns a request to the pages.
func (s *pageClient) request(method, path string, form url.Values) *http.Request {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, "http://"+s.address+path, strings.NewReader(form.Encode()))
	must(s, err)
	r.Host = s.host
	r.Close = true // a reload closes idle connections; browsers retry then
	r.Header.Set("Cookie", s.cookie)
	r.Header.Set("Accept-Language", s.language)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// ask requests a page without following redirects and returns its unescaped text.
func (s *pageClient) ask(method, path string, form url.Values) (*http.Response, string) {
	s.Helper()
	answer, err := http.DefaultTransport.RoundTrip(s.request(method, path, form))
	if err != nil {
		s.Fatalf("%s %s: %v", method, path, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(s, err)
	return answer, html.UnescapeString(string(text))
}

// send submits a form and returns the page of the redirect.
func (s *pageClient) send(path string, form url.Values) string {
	s.Helper()
	answer, text := s.ask("POST", path, form)
	if answer.StatusCode != http.StatusSeeOther {
		s.Fatalf("%s: %s\n%s", path, answer.Status, text)
	}
	kept := s.cookie
	for _, c := range answer.Cookies() {
		s.cookie += "; " + c.Name + "=" + c.Value
	}
	text = s.see(answer.Header.Get("Location"))
	s.cookie = kept
	return text
}

func (s *pageClient) see(path string, wants ...string) string {
	s.Helper()
	answer, text := s.ask("GET", path, nil)
	if answer.StatusCode != http.StatusOK {
		s.Fatalf("%s: %s\n%s", path, answer.Status, text)
	}
	for _, want := range wants {
		if !strings.Contains(text, want) {
			s.Fatalf("%s does not say %q:\n%s", path, want, text)
		}
	}
	return text
}

// until calls do and waits until the page at path contains a text. Like an open page it reloads
// after each event.
func (s *pageClient) until(path, want string, do func()) string {
	s.Helper()
	answer, err := http.DefaultTransport.RoundTrip(s.request("GET", "/live", nil))
	must(s, err)
	defer answer.Body.Close()
	do()
	late := time.AfterFunc(time.Minute, func() { answer.Body.Close() })
	defer late.Stop()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "event:") {
			continue
		}
		if text := s.see(path); strings.Contains(text, want) {
			return text
		}
	}
	s.Fatalf("%s never says %q:\n%s", path, want, s.see(path))
	return ""
}

// Setup checks the key. Each error has its own text in the user's language, and the key is never
// shown.
func TestSetupChecksTheKey(t *testing.T) {
	box, base := openSandbox(t)
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	defer log.Close()
	b := runDaemon(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	s := surf(b)
	if answer, _ := s.ask("GET", "/", nil); answer.StatusCode != 303 || answer.Header.Get("Location") != "/setup" {
		t.Errorf("an instance that is not set up: %s to %s", answer.Status, answer.Header.Get("Location"))
	}
	for n := 1; n <= 5; n++ {
		s.see(fmt.Sprint("/setup?step=", n), fmt.Sprint("Step ", n, " of 5"))
	}
	const wrong = "sk_thisisnotthekey"
	for _, c := range []struct{ language, address, key, want string }{
		{"en", "", wrong, "The address is missing"},
		{"en", base, "", "The key is missing"},
		{"en", base, "pk_thisisnotthekey", "This is a public key (pk_)"},
		{"en", base, wrong, base + " does not take this key"},
		{"de", base, wrong, "nimmt diesen Schlüssel nicht"},
		{"en", strings.TrimPrefix(base, "http://"), wrong, base + " does not take this key"},
		{"en", other.URL, wrong, "No tracking service is at this address"},
		{"en", "https://me:" + wrong + "@tracker.example/api/v1", wrong, "That looks like a key"},
		{"en", "http://127.0.0.1:1", wrong, "Couldn't reach"},
	} {
		s.language = c.language
		answer, text := s.ask("POST", "/setup/login", url.Values{"address": {c.address}, "key": {c.key}, "back": {"/setup?step=1"}})
		if answer.StatusCode != 422 || !strings.Contains(text, c.want) {
			t.Errorf("%q %q: %s, want %q in\n%s", c.address, c.key, answer.Status, c.want, text)
		}
		if strings.Contains(text, "thisisnotthekey") {
			t.Errorf("%q: the page shows the key", c.address)
		}
		if c.address != "" && !strings.Contains(c.address, "sk_") && !strings.Contains(text, `value="`+c.address+`"`) {
			t.Errorf("%q: the address has to be typed again", c.address)
		}
	}
	s.language = "en"
	text := s.send("/setup/login", url.Values{"address": {strings.TrimSuffix(base, "/api/v1")}, "key": {" " + box.SecretKey() + "\n"}})
	logged, err := os.ReadFile(log.Name())
	if err != nil || len(logged) == 0 {
		t.Fatalf("nothing is logged: %v", err)
	}
	if strings.Contains(text+string(logged), box.SecretKey()) || strings.Contains(string(logged), "thisisnotthekey") {
		t.Error("the key shows")
	}
}

// The code on the page pairs one browser, which then appears on the open page. A removed browser
// disappears.
func TestPairFromThePage(t *testing.T) {
	s := surf(runDaemon(t, nil))
	answer, text := s.ask("POST", "/setup/pair", url.Values{"back": {"/setup?step=2"}}) // the first step of setup needs no service
	code := regexp.MustCompile(`class="big">([A-Z0-9-]+)<`).FindStringSubmatch(text)
	if answer.StatusCode != http.StatusOK || code == nil || !strings.Contains(text, "It works until") || !strings.Contains(text, "Step 2 of 5") {
		t.Fatalf("no code: %s\n%s", answer.Status, text)
	}
	c, err := connectortest.Dial(t.Context(), connectortest.Options{
		URL: "ws://" + s.address + "/v1/connector", Origin: theExtension, Info: protocol.ClientInfo{Name: "Filmspool", Version: "1", Browser: "firefox"},
	})
	must(t, err)
	defer c.Close()
	s.until("/sources", "<h3>Sofa</h3>", func() {
		if _, _, err := c.Pair(t.Context(), code[1], "Sofa"); err != nil {
			t.Fatal(err)
		}
	})
	clients, err := s.d.Control().Clients(t.Context())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%v %+v", err, clients)
	}
	if answer, _ := s.ask("POST", "/sources/rename", url.Values{"id": {clients[0].ID}, "name": {" "}}); answer.StatusCode != 422 {
		t.Errorf("no name: %s", answer.Status)
	}
	if text := s.send("/sources/rename", url.Values{"id": {clients[0].ID}, "name": {"Kitchen"}}); !strings.Contains(text, "<h3>Kitchen</h3>") {
		t.Errorf("renamed:\n%s", text)
	}
	if text := s.send("/sources/forget", url.Values{"id": {clients[0].ID}, "name": {"Sofa"}}); !strings.Contains(text, "Sofa is removed") || strings.Contains(text, "<h3>Sofa</h3>") {
		t.Errorf("forgotten:\n%s", text)
	}
	if answer, text := s.ask("POST", "/sources/forget", url.Values{"id": {"none"}}); answer.StatusCode != 404 || !strings.Contains(text, `role="alert"`) {
		t.Errorf("a browser that is not there: %s", answer.Status)
	}
}

// The token of a new program is shown only once.
func TestProgramsTokenIsShownOnce(t *testing.T) {
	s := surf(runDaemon(t, nil))
	if answer, text := s.ask("POST", "/sources/program", url.Values{"label": {" "}}); answer.StatusCode != 422 || !strings.Contains(text, "name for the program") {
		t.Errorf("no name: %s", answer.Status)
	}
	answer, text := s.ask("POST", "/sources/program", url.Values{"label": {"Plex <b>"}})
	token := regexp.MustCompile(`<p><code>([^<]+)</code></p>`).FindStringSubmatch(text)
	if answer.StatusCode != 200 || token == nil {
		t.Fatalf("%s:\n%s", answer.Status, text)
	}
	if _, err := s.d.pairing.Check(token[1], ""); err != nil {
		t.Errorf("the token: %v", err)
	}
	if text := s.see("/sources", "Plex <b>", "not active yet"); strings.Contains(text, token[1]) {
		t.Error("the token is shown again")
	}
}

// The address of a hook is shown once and accepts calls; the page shows the last call.
func TestHookFromThePage(t *testing.T) {
	s := surf(runDaemon(t, nil))
	answer, text := s.ask("POST", "/sources/program", url.Values{"label": {""}, "hook": {"tautulli"}})
	address := regexp.MustCompile(`data-copy="(http://127[^"]+/v1/hook/tautulli/[^"]+)"`).FindStringSubmatch(text)
	if answer.StatusCode != 200 || address == nil || !strings.Contains(text, "{themoviedb_id}") || !strings.Contains(text, "the trigger Watched") {
		t.Fatalf("%s:\n%s", answer.Status, text)
	}
	if text := s.see("/sources", "<h3>Tautulli</h3>"); strings.Contains(text, address[1]) {
		t.Error("the address is shown again")
	}
	for body, want := range map[string]string{
		`{"action":"watched","type":"movie","title":"Alpha & One","year":"1999"}`: "Last call from Tautulli, just now: Alpha & One (1999). <strong>Recorded.</strong>",
		`{"action":"pause","type":"movie","title":"Beta"}`:                        "Beta. <strong>Ignored: it is not over.</strong>",
		`{}`: "Last call from Tautulli, just now: <strong>Refused: this is not a message of that sender.</strong>",
	} {
		posted, err := http.Post(address[1], "application/json", strings.NewReader(body))
		must(t, err)
		posted.Body.Close()
		s.see("/sources", want)
	}
	if answer, _ := s.ask("POST", "/sources/program", url.Values{"label": {"V"}, "hook": {"vlc"}}); answer.StatusCode != 422 {
		t.Errorf("a sender that is not known: %s", answer.Status)
	}
}

// A preview and an import run in the background, and an open page shows their results. An import
// needs a preview.
func TestImportFromThePage(t *testing.T) {
	box, base := openSandbox(t)
	folder := filepath.Join(t.TempDir(), "userdata")
	sim := kodisim.Create(folder, 131)
	t.Cleanup(func() { sim.Close() })
	for n := range 3 {
		sim.AddFilm(kodisim.Film{
			Title: fmt.Sprint("Film ", n+1), IDs: viewing.IDs{TMDB: int64(n + 1)}, Path: fmt.Sprintf("/films/%d.mkv", n+1),
			Plays: 2, LastPlayed: fmt.Sprintf("2020-01-0%d 00:00:00", 3*n+1), // days apart in any time zone
		})
	}
	s := surf(runDaemon(t, func(o *Options) {
		o.Config.Accounts["default"] = config.Account{BaseURL: base, KeyHeader: "x-api-key"}
		o.Config.Kodi.Libraries = []config.Library{{Userdata: folder, TimeZone: "UTC"}}
		keys := config.Keys{Dir: o.Paths.State, Getenv: o.Getenv}
		must(t, keys.Save(config.Credential{Account: "default", BaseURL: base, Key: config.NewSecret(box.SecretKey())}))
	}))
	if answer, text := s.ask("POST", "/sources/import", nil); answer.StatusCode != 422 || !strings.Contains(text, "Preview the import first") {
		t.Errorf("an import without a preview: %s", answer.Status)
	}
	if answer, text := s.ask("POST", "/sources/preview", url.Values{"since": {"soon"}}); answer.StatusCode != 422 || !strings.Contains(text, "Write a day") {
		t.Errorf("a day that is none: %s", answer.Status)
	}
	s.until("/setup?step=5", "Import 2 viewings", func() { s.send("/setup/preview", url.Values{"since": {"2020-01-03"}, "back": {"/setup?step=5"}}) })
	text := s.see("/sources", "2 films to send", "1 left out: without a time, or from before the day", "3 earlier plays")
	if strings.Contains(text, "cannot be asked") {
		t.Error("the service can be asked")
	}
	if list, err := s.d.Control().List(t.Context(), entry.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("a preview has queued %d: %v", len(list), err)
	}
	s.until("/sources", "2 viewings imported", func() { s.send("/sources/import", nil) })
	if list, err := s.d.Control().List(t.Context(), entry.Filter{}); err != nil || len(list) != 2 {
		t.Errorf("an import has queued %d: %v", len(list), err)
	}
	if answer, _ := s.ask("POST", "/sources/import", nil); answer.StatusCode != 422 {
		t.Errorf("the same import again, without a look: %s", answer.Status)
	}
}

// A discovered and a typed library can be added on the page. The browser stays signed in during
// the reload.
func TestLibraryIsWatchedFromThePage(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	found, typed := filepath.Join(home, "found", "userdata"), filepath.Join(home, "typed")
	for _, folder := range []string{found, typed} {
		must(t, kodisim.Create(folder, 131).Close())
	}
	o := served(t, "listen = '127.0.0.1:0'\n", "KODI_DATA", filepath.Join(home, "found"))
	address, c := find(t, o)
	s := signIn(&runningDaemon{T: t}, c.API, address)
	if filepath.Separator == '/' { // Windows has no KODI_DATA
		s.see("/setup?step=4", `name="path" value="`+found+`"`)
	}
	for _, folder := range []string{found, typed} {
		text := s.send("/setup/watch", url.Values{"path": {folder}, "back": {"/setup?step=4"}})
		if !strings.Contains(text, "Connected: "+folder) || !strings.Contains(text, `<p class="muted">`+folder+"</p>") {
			t.Errorf("watched:\n%s", text)
		}
	}
	text := s.see("/sources", "<h3>Kodi (found)</h3>", "<h3>Kodi (typed)</h3>")
	if strings.Contains(text, "Found on this computer") {
		t.Errorf("what is watched is offered again:\n%s", text)
	}
	renamed := s.send("/sources/rename", url.Values{"id": {"kodi:" + found}, "name": {"living room"}})
	if !strings.Contains(renamed, "<h3>Kodi (living room)</h3>") || !strings.Contains(renamed, `name="name" value="living room"`) {
		t.Errorf("renamed:\n%s", renamed)
	}
	s.see("/status", "<td>Kodi (living room)</td>")
	s.see("/diary", "Kodi (living room)</option>")
	for path, want := range map[string]string{"": "Type the folder", home: "", filepath.Join(home, "none"): ""} {
		if answer, text := s.ask("POST", "/sources/watch", url.Values{"path": {path}}); answer.StatusCode < 400 || answer.StatusCode >= 500 || !strings.Contains(text, want) || !strings.Contains(text, `role="alert"`) {
			t.Errorf("%q: %s", path, answer.Status)
		}
	}
	if text := s.send("/sources/unwatch", url.Values{"path": {typed}}); !strings.Contains(text, "Disconnected: "+typed) || strings.Contains(text, `<p class="muted">`+typed) {
		t.Errorf("no more:\n%s", text)
	}
}
