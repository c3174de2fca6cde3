// Package guard decides who may talk to the daemon over TCP.
//
//   - [Host] protects every route: a request must name one of our own addresses in its Host
//     header. This stops a web page that resolves its own host name to 127.0.0.1 (DNS rebinding).
//   - [Extension] protects the connector: only the Origin of a browser extension passes. Browsers
//     do not let pages or other extensions forge it. It does not show that the user wants this
//     extension to connect, so the connector also requires a paired token.
//   - [Programs] protects routes for programs: it refuses every request of a browser.
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

// Host passes requests to next if their Host header equals one of hosts, each "name:port" as a
// browser writes it. Others get 403.
func Host(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			Refuse(w, http.StatusForbidden, CodeHost, "this address is not one the daemon answers to")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// extension matches the Origin of a browser extension: 32 letters from a to p, or a UUID.
var extension = regexp.MustCompile(`^(chrome-extension://[a-p]{32}|moz-extension://[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)

// Extension reports whether the request has exactly one Origin and it is a browser extension's.
func Extension(r *http.Request) bool {
	origins := r.Header["Origin"]
	return len(origins) == 1 && extension.MatchString(origins[0])
}

// Programs passes requests to next that show no sign of a browser. Others get 403.
func Programs(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if FromBrowser(r) {
			Refuse(w, http.StatusForbidden, CodeBrowser, "this address is for programs, not for browsers")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// FromBrowser reports whether the request has an Origin, Referer or Sec-Fetch header, even an
// empty one. Programs send none of these; requests of a browser have at least one, except some of
// an extension's own.
func FromBrowser(r *http.Request) bool {
	for name := range r.Header {
		if name == "Origin" || name == "Referer" || strings.HasPrefix(name, "Sec-Fetch-") {
			return true
		}
	}
	return false
}

// Refuse answers with a status and the body {"error":code,"message":message}. All refusals of the
// daemon's routes have this form.
func Refuse(w http.ResponseWriter, status int, code, message string) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// An error means that the client is gone.
	_ = json.NewEncoder(w).Encode(struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}{code, message})
}
