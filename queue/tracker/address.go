package tracker

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// What can be wrong with a key, before it is asked for.
var (
	// ErrKeyReadOnly means a public key, pk_ (contract 5.3).
	ErrKeyReadOnly = errors.New("a pk_ key may only read: a secret key (sk_) is needed")
	// ErrKeyForm means that the text is no key of the service.
	ErrKeyForm = errors.New("this is not a secret key: one begins with sk_ and has no spaces")
)

// CheckKeyForm checks the outside of a key: prefix sk_, and printable ASCII
// only. Its errors wrap [ErrKeyReadOnly] or [ErrKeyForm] and never hold the key.
func CheckKeyForm(key string) error {
	if strings.HasPrefix(key, "pk_") {
		return fmt.Errorf("check key: %w", ErrKeyReadOnly)
	}
	rest, ok := strings.CutPrefix(key, "sk_")
	odd := strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' })
	if !ok || rest == "" || odd {
		return fmt.Errorf("check key: %w", ErrKeyForm)
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
		return nil, errors.New("parse address: it is not a URL")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.Host = strings.ToLower(u.Host)
	if fault := addressFault(u); fault != "" {
		return nil, errors.New("parse address: " + fault)
	}
	return u, nil
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
