package tracker

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// checkKeyForm checks that a key begins with sk_ and is printable ASCII. Its errors never contain the key.
func checkKeyForm(key string) error {
	rest, secret := strings.CutPrefix(key, "sk_")
	switch {
	case strings.HasPrefix(key, "pk_"):
		return viewing.Say("fault.readKey") // contract 5.3
	case !secret || rest == "" || strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' }):
		return viewing.Say("fault.noKeyForm")
	}
	return nil
}

// ParseBaseURL parses the service's base address: https (http for this machine only), ending in /api/v1
// (contract 9.1) after one trailing slash is removed, without user, query or fragment. Its error is a
// [viewing.Message] that does not repeat the text, which might contain a secret.
func ParseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, viewing.Say("fault.noAddress", "example", "https://tracker.example/api/v1")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.Host = strings.ToLower(u.Host)
	fault := ""
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		fault = "urlScheme"
	case u.Hostname() == "":
		fault = "urlHost"
	case u.User != nil:
		fault = "urlUser"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		fault = "urlQuery"
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		fault = "urlHTTP"
	case u.RawPath != "" || !strings.HasSuffix(u.Path, "/api/v1"):
		fault = "urlPath"
	default:
		return u, nil
	}
	return nil, viewing.Say("fault.noServiceAddress").Because(viewing.Say("fault." + fault))
}

// SuggestAddress returns the valid base address that the user probably meant by text; "" if there is none, or
// if text could contain a secret.
func SuggestAddress(text string) string {
	text = strings.TrimSpace(text)
	host, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "http://"), "https://"), "/")
	before, _, _ := strings.Cut("/"+path, "/api")
	if strings.ContainsAny(text, "@?#") || strings.Contains(text, "sk_") || strings.Contains(text, "pk_") ||
		!strings.ContainsAny(host, ".:") && host != "localhost" {
		return ""
	}
	end := host + strings.TrimSuffix(before, "/") + "/api/v1"
	if _, err := ParseBaseURL("http://" + end); err == nil && !strings.HasPrefix(text, "https://") { // a loopback address
		return "http://" + end
	}
	if _, err := ParseBaseURL("https://" + end); err != nil {
		return ""
	}
	return "https://" + end
}

// isLoopback reports whether host names this machine.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
