package page

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
)

//go:embed rooms/*.html static/*
var files embed.FS

// Options is what the pages are made of.
type Options struct {
	API control.API
	// Changed gives a channel that is nudged when something that is shown may have
	// changed, and a function that ends that.
	Changed func() (<-chan struct{}, func())
	// Secret is at least [SecretSize] random bytes that are the same after a restart. Keep
	// keeps another one, twice as long, for after it.
	Secret []byte
	Keep   func(secret []byte) error
	Log    *slog.Logger
}

// Site is all pages of one instance.
type Site struct {
	o         Options
	door      *door
	rooms     []room
	templates map[string]*template.Template

	mu      sync.Mutex
	streams int           // pages that listen now
	changed chan struct{} // closed, and replaced, when what is known here alone changes
	desk    desk          // what a person has begun, whichever page shows it

	stop    context.CancelFunc // ends streams and work
	running context.Context
	work    sync.WaitGroup
}

// room is one page: its address, what it shows, and what a person can do there.
type room struct {
	path string // "/diary"
	name string // of its template and of its texts: "diary"
	menu bool   // it stands in the menu
	show func(*visit) (any, error)
	acts map[string]act // by the last part of the address that a form is sent to
}

// act does what a form says. It tells of it by [visit.tell], or fails with what a
// person is told.
type act func(*visit) error

// rooms are all pages, in the order of the menu.
func rooms() []room {
	return []room{
		nowRoom(), diaryRoom(), entryRoom(), reviewRoom(), sourcesRoom(), listsRoom(), settingsRoom(), aboutRoom(), setupRoom(),
	}
}

// New reads texts and templates. The error means that the program was built from
// broken files.
func New(o Options) (*Site, error) {
	s := &Site{
		o: o, door: &door{secret: o.Secret, keep: o.Keep, now: time.Now}, rooms: rooms(),
		templates: map[string]*template.Template{}, changed: make(chan struct{}),
	}
	s.running, s.stop = context.WithCancel(context.Background())
	layout, err := template.New("layout.html").ParseFS(files, "rooms/layout.html", "rooms/parts.html", "rooms/origin.html")
	if err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	for _, name := range append([]string{"door"}, names(s.rooms)...) {
		t, err := template.Must(layout.Clone()).ParseFS(files, "rooms/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		s.templates[name] = t
	}
	return s, nil
}

func names(rooms []room) (all []string) {
	for _, r := range rooms {
		all = append(all, r.name)
	}
	return all
}

// Host is the name by which a browser addresses the pages, on a port.
func (s *Site) Host(port string) string { return s.door.label() + ".localhost:" + port }

// Ticket is what signs one browser in, once, within 30 seconds.
func (s *Site) Ticket() string { return s.door.newTicket() }

// Await waits until a browser has signed in with a ticket, and reports whether one
// has, before its end.
func (s *Site) Await(ctx context.Context, ticket string) bool { return s.door.await(ctx, ticket) }

// Close ends what open pages are told, and waits for what was begun here.
func (s *Site) Close() {
	s.mu.Lock()
	s.stop() // nothing begins any more
	s.mu.Unlock()
	s.work.Wait()
}

// Handler answers for the pages. Only requests for [Site.Host] may reach it.
func (s *Site) Handler() http.Handler {
	inside := http.NewServeMux()
	inside.HandleFunc("GET /", s.nowhere)
	inside.HandleFunc("GET /live", s.live)
	inside.HandleFunc("GET /about/report.txt", s.report)
	for _, room := range s.rooms {
		inside.HandleFunc("GET "+room.path+cmp.Or(map[bool]string{true: "{$}"}[room.path == "/"], ""), s.showing(room))
		for name, act := range room.acts {
			inside.HandleFunc("POST "+strings.TrimSuffix(room.path, "/")+"/"+name, s.acting(room, act))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /in", s.signIn)
	mux.HandleFunc("POST /in", s.signIn)
	mux.Handle("GET /static/", http.StripPrefix("/static", static()))
	mux.Handle("/", s.inside(http.NewCrossOriginProtection().Handler(inside)))
	return safe(mux)
}

// patience is how long a page for somebody who is signed in may take to be made.
const patience = 3 * time.Minute

// maxForm bounds what a form may carry, in bytes.
const maxForm = 256 << 10

// safe sets what each answer says to the browser: load nothing from elsewhere, stand
// in no frame, be kept nowhere.
func safe(next http.Handler) http.Handler {
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
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		next.ServeHTTP(w, r)
	})
}

// static lets a browser keep a file until another version of the program runs. It
// lists no folder.
func static() http.Handler {
	own, _ := fs.Sub(files, "static") // it is there: it was embedded
	sum := sha256.New()
	err := fs.WalkDir(own, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(own, name)
		sum.Write(text)
		return err
	})
	tag, server := fmt.Sprintf(`"%x"`, sum.Sum(nil)[:8]), http.FileServerFS(own)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		if err == nil {
			w.Header().Set("ETag", tag)
		}
		w.Header().Set("Cache-Control", "private, no-cache")
		server.ServeHTTP(w, r)
	})
}

// inside lets in who is signed in. To others it says how to sign in.
func (s *Site) inside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.door.session(r); !ok {
			s.outside(w, r, http.StatusUnauthorized, "")
			return
		}
		out := http.NewResponseController(w) // to ask a service for an answer takes its time
		_ = errors.Join(out.SetReadDeadline(time.Time{}), out.SetWriteDeadline(time.Now().Add(patience)))
		next.ServeHTTP(w, r)
	})
}

// signIn takes a ticket. The page that answers leads on by itself: a redirect would
// come from elsewhere, and a browser sends no strict cookie then.
func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	ahead := r.Method == http.MethodHead || strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") // no person has seen it yet
	if ahead || !s.door.redeem(r.FormValue("ticket")) {
		s.outside(w, r, http.StatusForbidden, "door.used")
		return
	}
	s.door.admit(w)
	s.outside(w, r, http.StatusOK, "door.welcome")
}

// outside is the page for whoever is not signed in, or is about to be.
func (s *Site) outside(w http.ResponseWriter, r *http.Request, status int, key string) {
	v := &visit{site: s, Request: r, Speech: locale.In(r.Header.Get("Accept-Language"))}
	v.Data = map[string]any{"Key": key, "In": status == http.StatusOK}
	s.render(w, v, "door", status)
}

// nowhere is the page for an address that has none.
func (s *Site) nowhere(w http.ResponseWriter, r *http.Request) {
	v := s.visit(r, room{path: "/"})
	v.Fault, v.Data = &fault{Text: v.Say("page.nowhere")}, map[string]any{"Fault": true}
	s.render(w, v, "door", http.StatusNotFound)
}

// Outside is the answer to a browser that asks for a page at an address by which
// programs know us. It tells nothing but how to get in.
func (s *Site) Outside(w http.ResponseWriter, r *http.Request) {
	safe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.outside(w, r, http.StatusUnauthorized, "") })).ServeHTTP(w, r)
}

// showing answers with a room.
func (s *Site) showing(room room) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if room.path == "/" && s.fresh(r.Context()) {
			http.Redirect(w, r, "/setup", http.StatusSeeOther)
			return
		}
		v := s.visit(r, room)
		v.Said = s.door.takeSaid(w, r, v.session)
		s.show(w, v, http.StatusOK)
	}
}

// show renders the room of a visit.
func (s *Site) show(w http.ResponseWriter, v *visit, status int) {
	data, err := v.room.show(v)
	if err != nil {
		if v.Request.Context().Err() != nil {
			return // nobody waits for it any more
		}
		v.fail(err)
		status = max(status, statusOf(err))
		data = nil
	}
	v.Data = data
	name := v.room.name
	if data == nil && err != nil {
		name = "door"
		v.Data = map[string]any{"Key": "", "Fault": true}
	}
	s.render(w, v, name, status)
}

// acting does an act. What was done is told on the page that the browser is led to.
// What was refused is told on the room's page, with what the person had typed.
func (s *Site) acting(room room, act act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(r, room)
		if err := r.ParseForm(); err != nil {
			v.fail(v.refuse("page.badForm"))
			s.show(w, v, http.StatusBadRequest)
			return
		}
		v.Next = v.back()
		if err := act(v); err != nil {
			v.fail(err)
			s.show(w, v, statusOf(err))
			return
		}
		if v.preview {
			s.show(w, v, http.StatusOK)
			return
		}
		s.door.keepSaid(w, v.session, v.Said)
		http.Redirect(w, r, v.Next, http.StatusSeeOther)
	}
}

// statusOf is the status of a refused page or act.
func statusOf(err error) int {
	_, refused := errors.AsType[*refusal](err)
	switch code := control.FaultOf(err).Code; {
	case refused:
		return http.StatusUnprocessableEntity
	case code == control.CodeInternal:
		return http.StatusInternalServerError
	case code == control.CodeNotFound:
		return http.StatusNotFound
	default:
		return http.StatusUnprocessableEntity
	}
}

// render writes a page whole: half a page would look like another. Titles of strangers cannot
// change the direction of its text.
func (s *Site) render(w http.ResponseWriter, v *visit, name string, status int) {
	var b bytes.Buffer
	if err := s.templates[name].Execute(&b, v); err != nil {
		s.o.Log.Error("a page could not be made", "page", name, "error", err)
		http.Error(w, "this page could not be made; the log says more", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", v.Tag)
	w.WriteHeader(status)
	text := bytes.Map(func(r rune) rune {
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, b.Bytes())
	_, _ = w.Write(text) // the browser is gone; nobody is left to tell
}
