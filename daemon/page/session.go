package page

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	cookieName  = "filmspool"
	sessionLife = 30 * 24 * time.Hour
	ticketLife  = 30 * time.Second
	mostTickets = 8 // open at once; the oldest goes
	// SecretSize is how many bytes of the secret make the host name.
	SecretSize = 32
)

// door decides who is signed in. The secret makes the label and the cookies, so
// that both survive a restart. What stands behind its first bytes ends with the sessions.
type door struct {
	now  func() time.Time
	keep func(secret []byte) error

	mu      sync.Mutex
	secret  []byte
	tickets []ticket
}

type ticket struct {
	text string
	till time.Time
	used chan struct{} // closed when somebody has signed in with it
}

// mac is a text's proof that we wrote it.
func (d *door) mac(purpose, text string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	secret := d.secret
	if purpose == "label" {
		secret = secret[:SecretSize]
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(purpose + " " + text))
	return h.Sum(nil)
}

// label is the host name's first part: 80 bits that nobody can guess.
func (d *door) label() string {
	return "filmspool-" + strings.ToLower(base32.StdEncoding.EncodeToString(d.mac("label", "")[:10]))
}

// signOut ends all sessions and tickets. Nothing has changed where it fails.
func (d *door) signOut() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := make([]byte, 2*SecretSize)
	rand.Read(next[copy(next, d.secret[:SecretSize]):])
	if err := d.keep(next); err != nil {
		return err
	}
	d.secret, d.tickets = next, nil
	return nil
}

// newTicket makes a ticket, good once.
func (d *door) newTicket() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := ticket{rand.Text(), d.now().Add(ticketLife), make(chan struct{})}
	d.tickets = append(d.tickets, t)
	if len(d.tickets) > mostTickets {
		d.tickets = d.tickets[1:]
	}
	return t.text
}

// redeem takes a ticket, and reports whether it was good.
func (d *door) redeem(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, there := d.find(text)
	if !there || t.isUsed() || !d.now().Before(t.till) {
		return false
	}
	close(t.used)
	return true
}

// find finds a ticket, used or not; mu is held.
func (d *door) find(text string) (ticket, bool) {
	i := slices.IndexFunc(d.tickets, func(t ticket) bool { return hmac.Equal([]byte(t.text), []byte(text)) })
	if i < 0 {
		return ticket{}, false
	}
	return d.tickets[i], true
}

func (t ticket) isUsed() bool {
	select {
	case <-t.used:
		return true
	default:
		return false
	}
}

// await waits until somebody signs in with a ticket, and reports whether that was
// before its end.
func (d *door) await(ctx context.Context, text string) bool {
	d.mu.Lock()
	t, there := d.find(text)
	d.mu.Unlock()
	if !there {
		return false
	}
	timer := time.NewTimer(t.till.Sub(d.now()))
	defer timer.Stop()
	select {
	case <-t.used:
	case <-timer.C:
	case <-ctx.Done():
	}
	return t.isUsed()
}

// admit signs a browser in.
func (d *door) admit(w http.ResponseWriter) {
	till := d.now().Add(sessionLife)
	text := strconv.FormatInt(till.Unix(), 10) + "." + rand.Text()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: text + "." + hex.EncodeToString(d.mac("session", text)), Path: "/",
		Expires: till, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// session names the session of a request that is signed in.
func (d *door) session(r *http.Request) (id string, ok bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return "", false
	}
	cut := strings.LastIndexByte(c.Value, '.')
	if cut < 0 {
		return "", false
	}
	text := c.Value[:cut]
	given, err := hex.DecodeString(c.Value[cut+1:])
	if err != nil || !hmac.Equal(given, d.mac("session", text)) {
		return "", false
	}
	seconds, id, _ := strings.Cut(text, ".")
	till, err := strconv.ParseInt(seconds, 10, 64)
	return id, err == nil && d.now().Before(time.Unix(till, 0))
}

// saidCookie carries what was done to the page that the browser is led to: the act may
// have had the program begin anew with another configuration.
const (
	saidCookie = "filmspool-said"
	saidLife   = time.Minute
	maxSaid    = 3 << 10 // bytes; browsers take 4 KiB
)

func (d *door) keepSaid(w http.ResponseWriter, session string, said []string) {
	text, _ := json.Marshal(said) // texts can always be told
	value := hex.EncodeToString(d.mac("said", session+string(text))) + "." + base64.RawURLEncoding.EncodeToString(text)
	if len(said) > 0 && len(value) <= maxSaid {
		setSaid(w, value, saidLife)
	}
}

// takeSaid is what was said on the way to this page, once.
func (d *door) takeSaid(w http.ResponseWriter, r *http.Request, session string) (said []string) {
	c, err := r.Cookie(saidCookie)
	if err != nil {
		return nil
	}
	setSaid(w, "", -time.Second)
	proof, coded, _ := strings.Cut(c.Value, ".")
	given, err := hex.DecodeString(proof)
	text, coding := base64.RawURLEncoding.DecodeString(coded)
	if errors.Join(err, coding) != nil || !hmac.Equal(given, d.mac("said", session+string(text))) || json.Unmarshal(text, &said) != nil {
		return nil
	}
	return said
}

func setSaid(w http.ResponseWriter, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: saidCookie, Value: value, Path: "/", MaxAge: int(life.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
