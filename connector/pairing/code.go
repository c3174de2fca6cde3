package pairing

import (
	"crypto/rand"
	"crypto/subtle"
	"strings"
	"time"
	"unicode"
)

// Limits of a code. With 32^8 possible codes and 50 tries, a guess succeeds with a probability of
// 1 in 20 thousand million.
const (
	codeLength  = 8
	codeLife    = 10 * time.Minute // the extension may have to be installed meanwhile
	originTries = 5                // wrong tries of one Origin, which can then no longer use the code
	codeTries   = 50               // wrong tries of all Origins, after which the code is invalid
	// codeAlphabet leaves out 0, 1, I and O, which are easily confused.
	codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
)

// Code is a one-time code as it is shown to the user.
type Code struct {
	Text      string    `json:"code"` // 8 characters of digits and capital letters
	ExpiresAt time.Time `json:"expiresAt"`
}

// NewCode makes a code that is valid for ten minutes, and invalidates the one before.
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

// useCode invalidates the current code and returns it if it is the typed one, and counts a wrong try
// otherwise. An Origin without tries left cannot use up those of others.
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

// canonical returns typed without spaces and dashes, in capitals.
func canonical(typed string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.Is(unicode.Pd, c) {
			return -1
		}
		return unicode.ToUpper(c)
	}, typed)
}
