package tmdb

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/resolve"
)

var jpeg = []byte("\xff\xd8\xff\xe0 a picture")

// An image is recognized by its content, not by its Content-Type. Other responses are
// errors.
func TestPoster(t *testing.T) {
	later := func(err error) bool { _, ok := errors.AsType[*resolve.UnavailableError](err); return ok }
	unanswerable := func(err error) bool { return errors.Is(err, resolve.ErrUnanswerable) }
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		fails  func(error) bool
	}{
		"a picture": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(jpeg)
		}, nil},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/jpeg")
			_, _ = w.Write([]byte("<html>sign in"))
		}, later},
		"a drawing": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write([]byte("<svg onload=x>"))
		}, later},
		"1 GB": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(jpeg)
			for block := bytes.Repeat([]byte("x"), 1<<20); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, unanswerable},
		"not there":   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, unanswerable},
		"redirect":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, later},
		"unavailable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, later},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/t/p/w185/a.jpg" || r.Header.Get("Authorization") != "" {
				t.Errorf("%s: asked for %s with %v", name, r.URL, r.Header)
			}
			c.answer(w, r)
		}))
		body, err := NewImages(server.URL+"/t/p").Poster(t.Context(), "/a.jpg")
		if c.fails == nil && (err != nil || !bytes.Equal(body, jpeg)) || c.fails != nil && (body != nil || !c.fails(err) || strings.Contains(err.Error(), "a.jpg")) {
			t.Errorf("%s: %q, %v", name, body, err)
		}
		server.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }))
	defer slow.Close()
	if body, err := NewImages(slow.URL).Poster(ctx, "/a.jpg"); !errors.Is(err, context.Canceled) {
		t.Errorf("slow: %q, %v", body, err)
	}
}

// Only valid paths of images are used in URLs and file names.
func TestPosterPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/p96dm7sCMn4VYAStA6siNz30G1r.jpg": "/p96dm7sCMn4VYAStA6siNz30G1r.jpg", "": "", "/../../secrets.jpg": "", "//evil.example/a.jpg": "", "/a.svg": "",
		"a.jpg": "", "/a/b.jpg": "", "/a.jpg?x": "", "/.jpg": "", "/" + strings.Repeat("a", 81) + ".jpg": "", "/a.jpg\n": "",
	} {
		if got := toWorks("movie", []work{{ID: 1, Poster: path}})[0].Poster; got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}
