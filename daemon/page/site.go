// Package page serves the web pages of one instance. Each page has a Go file here and a
// template of the same name in templates. A page shows something and may have acts: handlers
// of its forms. Like the command line, pages and acts only use [control.API]. They work
// without JavaScript, their texts come from package locale, and nothing is loaded from
// other hosts.
//
// The pages have a host name of their own, a random label under .localhost, so that other
// programs on this machine do not know it and cookies of other ports are not sent to it.
// A browser signs in with a ticket from the control API, which is valid once, for 30
// seconds. It gets a cookie for 30 days, SameSite=Strict and HttpOnly. Acts are POST
// requests, and [http.CrossOriginProtection] refuses those of other sites.
//
// While no daemon runs, another program can listen on its port and receive the cookie of a
// browser that opens the page. "Sign out everywhere" invalidates such a cookie.
package page

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/filmspool/filmspool/connector/extension"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

//go:embed templates/*.html static/*
var files embed.FS

// Options says what the pages are made of.
type Options struct {
	API control.API
	// Changed returns a channel that receives when something that is shown may have
	// changed, and a function that ends that.
	Changed func() (<-chan struct{}, func())
	// Sessions is the file that stores the host name and the sessions across restarts.
	Sessions string
	// Poster returns the picture of a film or series of TMDB; nil where TMDB is off.
	Poster func(ctx context.Context, kind viewing.MediaType, number int64) ([]byte, error)
	Log    *slog.Logger
}

// Site serves all pages of one instance.
type Site struct {
	o        Options
	sessions *sessions
	putOff   atomic.Bool // the person has ended setup or put it off

	ctx  context.Context // ends streams and jobs
	stop context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed and replaced by [Site.notify]
	job     job           // running, or the last one
}

// page is one page.
type page struct {
	Path string // "/diary"
	Name string // of its template and its texts: "diary"
	menu bool   // the menu has a link to it
	show func(*view) (any, error)
	acts map[string]act // by the last part of the address that a form is sent to
}

// act handles a form. It reports success with [view.flash]; its error is shown to the
// person.
type act func(*view) error

// pages returns all pages, in the order of the menu.
func pages() []page {
	return []page{
		{Path: "/", Name: "home", menu: true, show: showHome},
		{Path: "/diary", Name: "diary", menu: true, show: showDiary, acts: map[string]act{"preview": previewBulk, "do": doBulk}},
		{Path: "/review", Name: "review", menu: true, show: showReview, acts: entryActs},
		{Path: "/watchlist", Name: "watchlist", menu: true, show: showWatchlist, acts: map[string]act{"create": createList, "watched": watchedWish}},
		{Path: "/statistics", Name: "statistics", menu: true, show: showStatistics},
		{Path: "/sources", Name: "sources", menu: true, show: showSources, acts: sourceActs},
		{Path: "/settings", Name: "settings", menu: true, show: showSettings, acts: map[string]act{
			"set": changeSettings, "login": login, "out": signOut, "try": tryNotices,
		}},
		{Path: "/status", Name: "status", show: showStatus, acts: map[string]act{"retry": retryAll, "pause": pause, "resume": resume, "seen": seen}},
		{Path: "/diary/{id}", Name: "entry", show: showEntry, acts: entryActs},
		{Path: "/log", Name: "log", show: showLog, acts: map[string]act{"add": logItem}},
		{Path: "/import", Name: "import", show: showImport, acts: importActs},
		{Path: "/about", Name: "about", show: showAbout},
		{Path: "/setup", Name: "setup", show: showSetup, acts: setupActs},
	}
}

// New returns the pages, with the sessions from their file.
func New(o Options) (*Site, error) {
	s := &Site{o: o, changed: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var err error
	if s.sessions, err = openSessions(o.Sessions, o.Log); err != nil {
		return nil, err
	}
	return s, nil
}

// templates returns the templates of the pages, each under the name of its file, and their parts.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(files, "templates/*.html"))
})

// Host returns the name by which a browser addresses the pages, on a port.
func (s *Site) Host(port string) string { return s.sessions.saved.Host + ".localhost:" + port }

// Ticket returns a ticket that signs one browser in, within 30 seconds.
func (s *Site) Ticket() string { return s.sessions.newTicket() }

// Await waits until a browser signs in with a ticket or the ticket expires. It reports
// whether one signed in.
func (s *Site) Await(ctx context.Context, ticket string) bool { return s.sessions.await(ctx, ticket) }

// Close ends the streams of open pages and the job, and waits for the job.
func (s *Site) Close() {
	s.mu.Lock()
	s.stop() // no job begins after this
	s.mu.Unlock()
	s.work.Wait()
}

// Handler serves the pages. Only requests for [Site.Host] may reach it.
func (s *Site) Handler() http.Handler {
	signedIn := http.NewServeMux()
	signedIn.HandleFunc("GET /", s.notFound)
	signedIn.HandleFunc("GET /live", s.live)
	signedIn.HandleFunc("GET /about/report.txt", s.report)
	for _, family := range []string{"chromium", "firefox"} {
		signedIn.HandleFunc("GET /extension/"+family+".zip", s.extension(family))
	}
	signedIn.HandleFunc("GET /poster/{kind}/{number}", s.poster)
	signedIn.HandleFunc("GET /export", s.export)
	for _, p := range pages() {
		pattern := p.Path
		if pattern == "/" {
			pattern = "/{$}"
		}
		signedIn.HandleFunc("GET "+pattern, s.get(p))
		for name, act := range p.acts {
			signedIn.HandleFunc("POST "+path.Join(p.Path, name), s.post(p, act))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /in", s.signIn)
	mux.HandleFunc("POST /in", s.signIn)
	mux.HandleFunc("GET /static/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "static/"+r.PathValue("name"))
	})
	mux.Handle("/", s.requireSession(http.NewCrossOriginProtection().Handler(signedIn)))
	return secure(mux)
}

const (
	maxResponseTime = 3 * time.Minute // an act may ask the service
	maxForm         = 256 << 10       // bytes
)

// secure sets the headers of every response: nothing is loaded from other hosts, shown in a
// frame, or cached.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
				"form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "same-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control":                "no-store",
		} {
			w.Header().Set(name, value)
		}
		if r.URL.Path != uploadPath {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		}
		next.ServeHTTP(w, r)
	})
}

// requireSession passes the requests of browsers that are signed in. Others get the page
// that says how to sign in. A browser does not send a strict cookie when it follows a link from
// another site, so it first gets a page that reloads itself.
func (s *Site) requireSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.sessions.has(r) {
			on := ""
			if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Site") != "same-origin" {
				on = r.URL.RequestURI() // the mux has cleaned the path
			}
			s.signInPage(w, r, http.StatusUnauthorized, "", on)
			return
		}
		out, patience := http.NewResponseController(w), maxResponseTime
		if r.URL.Path == uploadPath {
			patience = maxUploadTime
		}
		_ = errors.Join(out.SetReadDeadline(time.Time{}), out.SetWriteDeadline(time.Now().Add(patience)))
		next.ServeHTTP(w, r)
	})
}

// signIn redeems a ticket. It answers with a page that continues by itself, because a browser does
// not send a strict cookie after a redirect that began at another site.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	prefetch := r.Method == http.MethodHead || strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch")
	if prefetch || !s.sessions.redeem(r.FormValue("ticket")) {
		s.signInPage(w, r, http.StatusForbidden, "signin.used", "")
		return
	}
	s.sessions.begin(w)
	s.signInPage(w, r, http.StatusOK, "signin.welcome", "/")
}

// signInPage serves the page for a browser that is not signed in, or just signed in. If on is not
// "", the page continues to that path by itself.
func (s *Site) signInPage(w http.ResponseWriter, r *http.Request, status int, text, on string) {
	v := s.view(r, page{Name: "signin"})
	v.Data, v.On = text, on
	s.render(w, v, "signin", status)
}

// extension serves the browser extension.
func (s *Site) extension(family string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		archive, err := extension.Pack(family)
		if err != nil {
			s.o.Log.Error("the extension could not be packed", "error", err)
			http.Error(w, "this file could not be made; the log says more", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/zip")
		w.Header().Set("Content-Disposition", `attachment; filename="filmspool-`+family+`.zip"`)
		_, _ = w.Write(archive)
	}
}

// poster serves the picture of a film or series.
func (s *Site) poster(w http.ResponseWriter, r *http.Request) {
	kind := viewing.MediaType(r.PathValue("kind"))
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil || number < 1 || kind != viewing.Movie && kind != viewing.TV || s.o.Poster == nil {
		s.notFound(w, r)
		return
	}
	image, err := s.o.Poster(r.Context(), kind, number)
	if err != nil {
		http.Error(w, "there is no picture", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(image))
	w.Header().Set("Cache-Control", "private, max-age=86400")
	_, _ = w.Write(image)
}

// notFound serves the page for unknown addresses.
func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	v := s.view(r, page{Path: "/", Name: "notFound"})
	v.Fault = &fault{Text: v.Say("page.notFound")}
	_ = v.load() // for the menu
	s.render(w, v, "signin", http.StatusNotFound)
}

// Outside answers a browser that uses another host name than [Site.Host]. The page says how to
// sign in.
func (s *Site) Outside(w http.ResponseWriter, r *http.Request) {
	secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.signInPage(w, r, http.StatusUnauthorized, "", "")
	})).ServeHTTP(w, r)
}

// get returns the handler that shows a page.
func (s *Site) get(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.Path == "/" && s.needsSetup(r.Context()) {
			http.Redirect(w, r, "/setup", http.StatusSeeOther)
			return
		}
		v := s.view(r, p)
		v.Flashes = takeFlashes(w, r)
		s.show(w, v, http.StatusOK)
	}
}

// show renders the page of a view. A page may return data together with an error: both are shown.
func (s *Site) show(w http.ResponseWriter, v *view, status int) {
	err := v.load()
	if err == nil {
		v.Data, err = v.page.show(v)
	}
	switch {
	case v.Request.Context().Err() != nil: // the browser has gone
	case v.Data == nil:
		s.render(w, v, "signin", max(status, v.fail(err)))
	case err != nil && v.Fault == nil: // else the act was refused for the same reason
		v.fail(err)
		fallthrough
	default:
		s.render(w, v, v.page.Name, status)
	}
}

// post returns the handler of an act. After success it redirects to the next page, which shows the
// report. After a refusal it shows the act's own page, with what the person typed.
func (s *Site) post(p page, act act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := s.view(r, p)
		if err := r.ParseForm(); err != nil {
			s.show(w, v, v.fail(v.refuse("page.badForm")))
			return
		}
		v.Next = v.back()
		switch err := act(v); {
		case err != nil:
			s.show(w, v, v.fail(err))
		case v.stay:
			s.show(w, v, http.StatusOK)
		default:
			setFlashes(w, v.Flashes)
			http.Redirect(w, r, v.Next, http.StatusSeeOther)
		}
	}
}

// render writes a page, without characters that change the direction of text, which titles
// may contain.
func (s *Site) render(w http.ResponseWriter, v *view, name string, status int) {
	var main, b bytes.Buffer
	err := templates().ExecuteTemplate(&main, name+".html", v)
	v.Main = template.HTML(main.Bytes())
	if err = errors.Join(err, templates().ExecuteTemplate(&b, "layout.html", v)); err != nil {
		s.o.Log.Error("a page could not be made", "page", name, "error", err)
		http.Error(w, "this page could not be made; the log says more", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", v.Tag)
	w.WriteHeader(status)
	_, _ = w.Write(bytes.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, b.Bytes()))
}
