package pairing

import (
	"crypto/rand"
	"crypto/subtle"
	"strings"
	"time"
	"unicode"
)

// What a code is. 32^8 possible codes and 50 tries in 120 seconds leave
// guessers one chance in 20 thousand million.
const (
	codeLength  = 8
	codeLife    = 120 * time.Second
	originTries = 5  // wrong tries of one Origin, for which the code is then closed
	codeTries   = 50 // wrong tries of all, after which the code is dead
	// codeAlphabet is digits and letters without 0, 1, I and O, which are
	// taken for each other.
	codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
)

// Code is a one-time code as it is shown to the user.
type Code struct {
	Text      string    `json:"code"` // 8 characters of digits and capital letters
	ExpiresAt time.Time `json:"expiresAt"`
}

// NewCode makes a code that is good for 120 seconds. The one before it, if
// any, is dead from now on.
func (r *Registry) NewCode() Code {
	raw := make([]byte, codeLength)
	rand.Read(raw) // never fails: crypto/rand ends the program instead
	for i, b := range raw {
		raw[i] = codeAlphabet[int(b)%len(codeAlphabet)] // 32 divides 256: no bias
	}
	code := Code{Text: string(raw), ExpiresAt: time.Now().UTC().Add(codeLife)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.code, r.tries = code, map[string]int{}
	return code
}

// useCode makes the open code unusable if it is the typed one, and counts a wrong try
// otherwise. An Origin that has spent its tries cannot spend those of others.
func (r *Registry) useCode(typed, origin string) (Code, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	open := r.code
	if !time.Now().Before(open.ExpiresAt) || r.tries[origin] >= originTries {
		return Code{}, ErrWrongCode
	}
	if subtle.ConstantTimeCompare([]byte(canonical(typed)), []byte(open.Text)) == 1 {
		delete(r.tries, origin) // it was the user who mistyped
		r.code = Code{}
		return open, nil
	}
	r.tries[origin]++
	all := 0
	for _, wrong := range r.tries {
		all += wrong
	}
	if all >= codeTries {
		r.code = Code{}
	}
	return Code{}, ErrWrongCode
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
