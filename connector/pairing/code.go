package pairing

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// What a code is. 32^8 possible codes and 50 tries in 120 seconds leave
// guessers one chance in 20 thousand million.
const (
	codeLength  = 8
	codeLife    = 120 * time.Second
	originTries = 5  // wrong tries of one Origin, which then hears nothing more of this code
	codeTries   = 50 // wrong tries of all, after which the code is dead
	maxTriers   = 16 // Origins whose tries are counted by name
	// codeAlphabet is digits and letters without 0, 1, I and O, which are
	// taken for each other.
	codeAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
)

// Code is a one-time code as it is shown to the user.
type Code struct {
	Text      string    `json:"code"` // 8 characters of digits and capital letters
	ExpiresAt time.Time `json:"expiresAt"`
	Tried     []Tries   `json:"tried,omitempty"` // wrong tries since the code before this one
}

// Tries are the wrong codes that came from one Origin. An empty Origin stands
// for all those that are too many to name.
type Tries struct {
	Origin string `json:"origin"`
	Wrong  int    `json:"wrong"`
}

// String is a sentence that tells of them, fit for a terminal.
func (t Tries) String() string {
	who := clean(t.Origin)
	if who == "" {
		who = "others"
	}
	if t.Wrong == 1 {
		return "Another extension has sent a wrong code: " + who
	}
	return fmt.Sprintf("Another extension has sent %d wrong codes: %s", t.Wrong, who)
}

// openCode is the code that can be used now.
type openCode struct {
	Code
	wrong int            // tries that failed
	of    map[string]int // the same by Origin, at most as many as codeTries
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
	r.code = &openCode{Code: code, of: map[string]int{}}
	code.Tried = r.triesBut("")
	r.tries = map[string]int{}
	return code
}

// TriesOfOthers are the wrong tries from other Origins than this one since the
// last code was made, the busiest first.
func (r *Registry) TriesOfOthers(origin string) []Tries {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.triesBut(origin)
}

// triesBut lists the tries of all Origins but one; mu is held.
func (r *Registry) triesBut(origin string) (list []Tries) {
	for of, wrong := range r.tries {
		if of != origin || origin == "" {
			list = append(list, Tries{of, wrong})
		}
	}
	slices.SortFunc(list, func(a, b Tries) int {
		return cmp.Or(cmp.Compare(b.Wrong, a.Wrong), cmp.Compare(a.Origin, b.Origin))
	})
	return list
}

// missed counts a wrong try of an Origin, whether a code was open or not; mu
// is held.
func (r *Registry) missed(origin string) {
	if _, named := r.tries[origin]; !named && len(r.tries) >= maxTriers {
		origin = ""
	}
	r.tries[origin]++
}

// match finds the open code that typed names. An Origin that has spent its
// tries is not heard any more, so that it cannot spend those of others.
func (r *Registry) match(typed, origin string) (*openCode, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.code != nil && !time.Now().Before(r.code.ExpiresAt) {
		r.code = nil
	}
	switch {
	case r.code == nil:
		r.missed(origin)
		return nil, ErrNoCode
	case r.code.of[origin] >= originTries:
		r.missed(origin)
		return nil, ErrTries
	}
	if subtle.ConstantTimeCompare([]byte(canonical(typed)), []byte(r.code.Text)) == 1 {
		return r.code, nil
	}
	r.missed(origin)
	r.code.of[origin]++
	if r.code.wrong++; r.code.wrong >= codeTries {
		r.code = nil
	}
	return nil, ErrWrongCode
}

// spend makes code unusable, unless another has taken its place. The Origin
// that used it was nobody else's.
func (r *Registry) spend(code *openCode, origin string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tries, origin)
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
