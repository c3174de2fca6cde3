package pairing

import (
	"crypto/rand"
	"crypto/subtle"
	"strings"
	"time"
	"unicode"
)

// What a code is. 32^8 possible codes and 5 tries in 120 seconds leave a
// guesser one chance in 200 thousand million.
const (
	codeLength = 8
	codeLife   = 120 * time.Second
	codeTries  = 5
	// codeAlphabet is digits and letters without 0, 1, I and O, which are
	// taken for each other.
	codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
)

// Code is a one-time code as it is shown to the user.
type Code struct {
	Text      string    `json:"code"` // 8 characters of digits and capital letters
	ExpiresAt time.Time `json:"expiresAt"`
}

// openCode is the code that can be used now.
type openCode struct {
	Code
	wrong int // tries that failed
}

// NewCode makes a code that is good for 120 seconds. The one before it, if
// any, is dead from now on, and so are the tries against it.
func (r *Registry) NewCode() Code {
	raw := make([]byte, codeLength)
	rand.Read(raw) // never fails: crypto/rand ends the program instead
	for i, b := range raw {
		raw[i] = codeAlphabet[int(b)%len(codeAlphabet)] // 32 divides 256: no bias
	}
	code := Code{Text: string(raw), ExpiresAt: time.Now().UTC().Add(codeLife)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.code = &openCode{Code: code}
	return code
}

// CancelCode kills the open code, if there is one.
func (r *Registry) CancelCode() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.code = nil
}

// match finds the open code that typed names. A wrong try counts against the
// code, whoever made it.
func (r *Registry) match(typed string) (*openCode, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.code != nil && !time.Now().Before(r.code.ExpiresAt) {
		r.code = nil
	}
	if r.code == nil {
		return nil, ErrNoCode
	}
	if subtle.ConstantTimeCompare([]byte(canonical(typed)), []byte(r.code.Text)) == 1 {
		return r.code, nil
	}
	if r.code.wrong++; r.code.wrong >= codeTries {
		r.code = nil
	}
	return nil, ErrWrongCode
}

// spend makes code unusable, unless another has taken its place.
func (r *Registry) spend(code *openCode) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.code == code {
		r.code = nil
	}
}

// canonical is typed as it would be shown: people add spaces and dashes and
// do not care about capitals.
func canonical(typed string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.Is(unicode.Pd, c) {
			return -1
		}
		return unicode.ToUpper(c)
	}, typed)
}
