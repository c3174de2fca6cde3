package tracker

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// What can be wrong with a key, before it is asked for.
var (
	// errKeyReadOnly means a public key, pk_ (contract 5.3).
	errKeyReadOnly = errors.New("a pk_ key may only read: a secret key (sk_) is needed")
	// errKeyForm means that the text is no key of the service.
	errKeyForm = errors.New("this is not a secret key: one begins with sk_ and has no spaces")
)

// checkKeyForm checks the outside of a key: prefix sk_, and printable ASCII
// only. Its errors wrap errKeyReadOnly or errKeyForm and never hold the key.
func checkKeyForm(key string) error {
	if strings.HasPrefix(key, "pk_") {
		return errKeyReadOnly
	}
	rest, ok := strings.CutPrefix(key, "sk_")
	odd := strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' })
	if !ok || rest == "" || odd {
		return errKeyForm
	}
	return nil
}

// ParseBaseURL reads the service's base address: https (http towards this
// machine only), ending in /api/v1 (contract 9.1) after one trailing slash is
// dropped, without user, query or fragment. Its errors do not repeat the
// text, which might hold a secret.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("this is not an address: " + wantAddress)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.Host = strings.ToLower(u.Host)
	if fault := addressFault(u); fault != "" {
		return nil, errors.New("this is not the address of a service: " + fault)
	}
	return u, nil
}

// wantAddress is what an address looks like.
const wantAddress = "one looks like https://tracker.example/api/v1"

// WholeAddress is a base address with /api/v1 put behind it, where only the
// host was given: no service has its API elsewhere. Any other text comes back as
// it is.
func WholeAddress(text string) string {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil {
		return text
	}
	return u.Scheme + "://" + u.Host + "/api/v1"
}

// SuggestAddress is the good base address that text may stand for; "" when
// there is none, or when text could hold a secret.
func SuggestAddress(text string) string {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "@?#") || strings.Contains(text, "sk_") || strings.Contains(text, "pk_") {
		return ""
	}
	rest, isHTTP := strings.CutPrefix(text, "http://")
	rest = strings.TrimPrefix(rest, "https://")
	host, path, _ := strings.Cut(rest, "/")
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

// addressFault says what is wrong with a base address, "" when nothing is.
func addressFault(u *url.URL) string {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return "it must begin with https://"
	case u.Hostname() == "":
		return "the host is missing"
	case u.User != nil:
		return "it must not hold a user or a password"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "it must not hold a query or a fragment"
	case u.RawPath != "" || !strings.HasSuffix(u.Path, "/api/v1"):
		return "it must end in /api/v1"
	case !validPort(u):
		return "the port must be from 1 to 65535"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "http is for this machine only: use https"
	}
	return ""
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

// loopback reports whether host names this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// origin is scheme, host and port, the port always said.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}
