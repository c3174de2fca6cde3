package sandbox

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// The prefixes that tell the kinds of key apart (contract, section 5).
const (
	secretPrefix = "sk_"
	publicPrefix = "pk_"
)

// keyring is the one pair of keys that the service knows.
type keyring struct{ secret, public string }

// check says whether the request's key may write. It takes either header
// form; a key elsewhere, in the query above all, is no key.
func (k keyring) check(h http.Header) (write bool, err error) {
	sent := sentKeys(h)
	switch {
	case len(sent) == 0:
		return false, unauthorized("no key was sent: use x-api-key or Authorization: Bearer")
	case len(sent) > 1:
		return false, unauthorized("two keys were sent, and they differ")
	case equal(sent[0], k.secret):
		return true, nil
	case equal(sent[0], k.public):
		return false, nil
	}
	return false, unauthorized("the key is not valid")
}

// sentKeys are the different keys in the headers; empty ones are not sent.
func sentKeys(h http.Header) []string {
	values := slices.Clone(h.Values("X-Api-Key"))
	for _, v := range h.Values("Authorization") {
		if scheme, credential, _ := strings.Cut(v, " "); strings.EqualFold(scheme, "Bearer") {
			values = append(values, credential)
		}
	}
	var keys []string
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" && !slices.Contains(keys, v) {
			keys = append(keys, v)
		}
	}
	return keys
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// makeKey is a new key of the kind that prefix names.
func makeKey(prefix string) string { return prefix + rand.Text() }

// checkKeyForm refuses a key that could not be told from the other kind, or
// not be sent in a header. The error never holds the key.
func checkKeyForm(key, prefix string) error {
	if !strings.HasPrefix(key, prefix) || len(key) == len(prefix) {
		return errors.New("the key must begin with " + prefix + " and have more after it")
	}
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return errors.New("the key must be printable ASCII without spaces")
		}
	}
	return nil
}
