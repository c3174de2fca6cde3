package tracker

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// What can be wrong with a key before it is used.
var (
	errKeyReadOnly = errors.New("a pk_ key may only read: a secret key (sk_) is needed") // contract 5.3
	errKeyForm     = errors.New("this is not a secret key: one begins with sk_ and has no spaces")
)

// checkKeyForm checks that a key begins with sk_ and is printable ASCII. Its errors never hold the key.
func checkKeyForm(key string) error {
	if strings.HasPrefix(key, "pk_") {
		return errKeyReadOnly
	}
	rest, ok := strings.CutPrefix(key, "sk_")
	if !ok || rest == "" || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errKeyForm
	}
	return nil
}

// ParseBaseURL reads the service's base address: https (http for this machine only), ending in /api/v1
// (contract 9.1) after one trailing slash is dropped, without user, query or fragment. Its errors do not repeat
// the text, which might hold a secret.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("this is not an address: one looks like https://tracker.example/api/v1")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.Host = strings.ToLower(u.Host)
	fault := ""
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		fault = "it must begin with https://"
	case u.Hostname() == "":
		fault = "the host is missing"
	case u.User != nil:
		fault = "it must not hold a user or a password"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		fault = "it must not hold a query or a fragment"
	case u.RawPath != "" || !strings.HasSuffix(u.Path, "/api/v1"):
		fault = "it must end in /api/v1"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		fault = "http is for this machine only: use https"
	default:
		return u, nil
	}
	return nil, errors.New("this is not the address of a service: " + fault)
}

// WholeAddress appends /api/v1 to an address that is only scheme and host: no service has its API elsewhere.
// Any other text is returned as it is.
func WholeAddress(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil {
		return text
	}
	return u.Scheme + "://" + u.Host + "/api/v1"
}

// SuggestAddress returns the valid base address that text may stand for; "" when there is none, or when text
// could hold a secret.
func SuggestAddress(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "@?#") || strings.Contains(text, "sk_") || strings.Contains(text, "pk_") {
		return ""
	}
	rest, isHTTP := strings.CutPrefix(text, "http://")
	host, path, _ := strings.Cut(strings.TrimPrefix(rest, "https://"), "/")
	before, _, _ := strings.Cut("/"+path, "/api")
	scheme := "https://"
	if name, _, err := net.SplitHostPort(host); err == nil && isHTTP && loopback(name) {
		scheme = "http://"
	}
	whole := scheme + host + strings.TrimSuffix(before, "/") + "/api/v1"
	if _, err := ParseBaseURL(whole); err != nil || !strings.ContainsAny(host, ".:") && host != "localhost" {
		return ""
	}
	return whole
}

// loopback reports whether host names this machine.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// origin is scheme, host and port, always with the port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}
