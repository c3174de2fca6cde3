// Package guard decides who may talk to the daemon over TCP. It is short so that whoever
// doubts it can read all of it. [Host] stands before every route: a request must name one of
// our own addresses, so a page that points its own host name at 127.0.0.1 (DNS rebinding) gets
// nowhere. [Extension] stands before the connector: only a browser extension's Origin passes,
// and a browser lets no page or other extension forge that. It proves which extension speaks,
// not that the user wants it to: the connector asks for a paired token as well. [Programs]
// stands before what programs ask, and refuses every request of a browser.
package guard

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Codes in the "error" field of a refusal.
const (
	CodeHost    = "HOST_NOT_ALLOWED" // 403: the Host header is not one of ours
	CodeBrowser = "BROWSER_REFUSED"  // 403: the request comes from a browser
)

// Host passes on requests whose Host header is exactly one of hosts, each
// "name:port" as a browser writes it, and answers 403 to all others.
func Host(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			Refuse(w, http.StatusForbidden, CodeHost, "this address is not one the daemon answers to")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// extension is the Origin of a browser's extension: 32 letters from a to p, or a UUID.
var extension = regexp.MustCompile(`^(chrome-extension://[a-p]{32}|moz-extension://[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// Extension reports whether the request carries exactly one Origin and that is a browser
// extension's.
func Extension(r *http.Request) bool {
	origins := r.Header["Origin"]
	return len(origins) == 1 && extension.MatchString(origins[0])
}

// Programs passes on requests without a sign of a browser, and answers 403 to others.
func Programs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if FromBrowser(r) {
			Refuse(w, http.StatusForbidden, CodeBrowser, "this address is for programs, not for browsers")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// FromBrowser reports whether the request carries Origin, Referer or any
// Sec-Fetch header, be it empty. Programs send none of these; a browser's
// requests, other than some of an extension's own, carry at least one.
func FromBrowser(r *http.Request) bool {
	for name := range r.Header {
		if name == "Origin" || name == "Referer" || strings.HasPrefix(name, "Sec-Fetch-") {
			return true
		}
	}
	return false
}

// Refuse answers with status and the body {"error":code,"message":message},
// the form of every refusal of the daemon's routes.
func Refuse(w http.ResponseWriter, status int, code, message string) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The client may be gone by now; there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{code, message})
}
