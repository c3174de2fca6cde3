package pairing

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
)

// KnockLife is how long a knock may take.
const KnockLife = 120 * time.Second

// Bounds of knocks.
const (
	mostKnocks  = 3  // open at once
	originVisit = 10 // knocks of one Origin in an hour
	mostVisits  = 60 // knocks of all in an hour
	visitLife   = time.Hour
)

// What can be wrong with a knock.
var (
	ErrKnockOver   = errors.New("the knock is over")
	ErrCommitment  = errors.New("the nonce is not the one that was committed to")
	ErrNotAccepted = errors.New("nobody has let this knock in")
)

// Visitor is who knocks.
type Visitor struct {
	Label   string // the user's or the client's name for it
	Origin  string
	Browser string
	// Commitment is the SHA-256 of the visitor's nonce, in lower-case hexadecimal.
	Commitment string
	Port       int // of ours, to which the visitor is connected
}

// Knock is an open knock as a person sees it. Its texts are fit for a terminal.
type Knock struct {
	ID        string // 16 hexadecimal digits
	Number    string // 6 digits; see the package comment
	Label     string
	Origin    string
	Browser   string
	ExpiresAt time.Time
	Accepted  bool // it may be paired
}

// Door is the visitor's side of a knock. Who holds it must give it to nobody but
// the visitor's socket.
type Door struct {
	Nonce string // ours, 64 hexadecimal digits

	registry   *Registry
	commitment string
	port       int
	answers    chan bool // takes each answer of a person at once: a yes, and a no after it
	knock      Knock     // guarded by the registry's mu; without a number it is not shown
}

// visit is a knock that may have ended; it counts until then.
type visit struct {
	origin  string
	until   time.Time
	refused bool // by a person
}

// Knock opens a knock. It is over after 120 seconds. The wait is above 0, and there
// is none, in these cases: the Origin has one open, 3 are open, the Origin has
// knocked 10 times in an hour, all have 60 times, or a person has refused the
// Origin within an hour.
func (r *Registry) Knock(v Visitor) (d *Door, wait time.Duration) {
	var id [8]byte
	var nonce [32]byte
	rand.Read(id[:]) // never fails: crypto/rand ends the program instead
	rand.Read(nonce[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.sweep()
	if wait = r.wait(v.Origin, now); wait > 0 {
		return nil, wait
	}
	d = &Door{
		Nonce: hex.EncodeToString(nonce[:]), registry: r, commitment: v.Commitment, port: v.Port, answers: make(chan bool, 2),
		knock: Knock{
			ID: hex.EncodeToString(id[:]), Label: clean(v.Label), Origin: v.Origin, Browser: clean(v.Browser),
			ExpiresAt: now.Add(KnockLife),
		},
	}
	r.knocks = append(r.knocks, d)
	r.visits = append(r.visits, visit{origin: v.Origin, until: now.Add(visitLife)})
	return d, 0
}

// sweep forgets what is over, and tells the time; mu is held.
func (r *Registry) sweep() time.Time {
	now := time.Now().UTC()
	r.knocks = slices.DeleteFunc(r.knocks, func(d *Door) bool { return !now.Before(d.knock.ExpiresAt) })
	r.visits = slices.DeleteFunc(r.visits, func(v visit) bool { return !now.Before(v.until) })
	return now
}

// wait is how long an Origin has to wait before it may knock; mu is held.
func (r *Registry) wait(origin string, now time.Time) time.Duration {
	var open, ownOpen, all, own, refused []time.Time
	for _, d := range r.knocks {
		open = append(open, d.knock.ExpiresAt)
		if d.knock.Origin == origin {
			ownOpen = append(ownOpen, d.knock.ExpiresAt)
		}
	}
	for _, v := range r.visits {
		switch {
		case v.refused && v.origin == origin:
			refused = append(refused, v.until)
		case !v.refused:
			all = append(all, v.until)
			if v.origin == origin {
				own = append(own, v.until)
			}
		}
	}
	return max(below(1, ownOpen, now), below(mostKnocks, open, now), below(1, refused, now),
		below(originVisit, own, now), below(mostVisits, all, now))
}

// below is how long it takes until fewer than most of these ends are to come.
func below(most int, ends []time.Time, now time.Time) time.Duration {
	if len(ends) < most {
		return 0
	}
	return slices.MinFunc(ends, time.Time.Compare).Sub(now)
}

// Knocks lists the open knocks that have a number, the eldest first.
func (r *Registry) Knocks() []Knock {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	list := []Knock{}
	for _, d := range r.knocks {
		if d.knock.Number != "" {
			list = append(list, d.knock)
		}
	}
	return list
}

// AnswerKnock is a person's answer, on the trusted side. A knock that is refused is
// over, and its Origin may not knock for an hour. The error is [ErrKnockOver].
func (r *Registry) AnswerKnock(id string, accept bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.sweep()
	i := slices.IndexFunc(r.knocks, func(d *Door) bool { return d.knock.ID == id })
	if i < 0 {
		return ErrKnockOver
	}
	d := r.knocks[i]
	if accept && d.knock.Accepted {
		return nil
	}
	d.knock.Accepted = accept
	d.answers <- accept
	if !accept {
		r.knocks = slices.Delete(r.knocks, i, i+1)
		r.visits = append(r.visits, visit{d.knock.Origin, now.Add(visitLife), true})
	}
	return nil
}

// Answers tells what a person says: true when the knock is let in, and false when it
// is refused. Nothing is told when its time is over.
func (d *Door) Answers() <-chan bool { return d.answers }

// Reveal takes the visitor's nonce. A person sees the knock from now on. The error
// is [ErrCommitment], which ends the knock, or [ErrKnockOver].
func (d *Door) Reveal(nonce string) error {
	r := d.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	if !slices.Contains(r.knocks, d) || d.knock.Number != "" {
		return ErrKnockOver
	}
	if hash := sha256.Sum256([]byte(nonce)); hex.EncodeToString(hash[:]) != d.commitment {
		r.close(d)
		return ErrCommitment
	}
	d.knock.Number = CheckNumber(nonce, d.Nonce, d.port)
	return nil
}

// Pair turns a knock into a client, as [Registry.Pair] does with a code. The visitor
// asks for it when its person has agreed. The knock is over then, even if the
// [Keep] fails. The error is [ErrNotAccepted], [ErrKnockOver] or the Keep's.
func (d *Door) Pair(ctx context.Context) (clientID, token string, err error) {
	r := d.registry
	r.saving.Lock()
	defer r.saving.Unlock()
	if err := d.spend(); err != nil {
		return "", "", err
	}
	c, token, err := r.add(ctx, d.knock.Label, d.knock.Origin, d.knock.Browser)
	return c.ID, token, err
}

// spend ends a knock that may be paired.
func (d *Door) spend() error {
	r := d.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sweep()
	switch {
	case !slices.Contains(r.knocks, d):
		return ErrKnockOver
	case !d.knock.Accepted:
		return ErrNotAccepted
	}
	r.close(d)
	return nil
}

// Leave ends the knock, if it is not over: its socket is gone.
func (d *Door) Leave() {
	d.registry.mu.Lock()
	defer d.registry.mu.Unlock()
	d.registry.close(d)
}

// close takes a knock away; mu is held.
func (r *Registry) close(d *Door) {
	r.knocks = slices.DeleteFunc(r.knocks, func(other *Door) bool { return other == d })
}

// CheckNumber is the number of 6 digits that both sides show for a knock; see the
// package comment. The port is the one that the visitor has asked for.
func CheckNumber(theirs, ours string, port int) string {
	mac := hmac.New(sha256.New, []byte(theirs))
	fmt.Fprintf(mac, "%s:%d", ours, port) // a hash never fails to write
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(mac.Sum(nil))%1_000_000)
}
