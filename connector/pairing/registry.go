package pairing

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// What can be wrong with a code, a token or a client.
var (
	ErrNoCode      = errors.New("no pairing code is open")
	ErrWrongCode   = errors.New("wrong pairing code")
	ErrTries       = errors.New("too many wrong pairing codes from this origin")
	ErrWrongToken  = errors.New("token not known")
	ErrWrongOrigin = errors.New("token belongs to another origin")
	ErrNotFound    = errors.New("no such client")
	ErrNoOrigin    = errors.New("pairing needs an origin")
	ErrNoLabel     = errors.New("a program needs a name")
)

// seenEvery is how often a client's LastSeen goes to disk at most.
const seenEvery = time.Minute

// Keep is where clients are kept. Records are opaque to it.
type Keep interface {
	// Load returns all records by client id.
	Load(ctx context.Context) (map[string][]byte, error)
	// Save keeps a record durably; a nil record deletes it.
	Save(ctx context.Context, id string, record []byte) error
}

// Registry knows the clients and the open code. Its methods may be called by
// several goroutines at once.
type Registry struct {
	keep Keep

	// saving is held across every change that goes to disk, so that disk and
	// memory change in the same order. It is taken before mu.
	saving sync.Mutex

	mu      sync.Mutex // guards what follows, never held during I/O
	clients map[string]*entry
	code    *openCode
	tries   map[string]int // wrong tries since the last code was made, by Origin
}

// New loads the clients from keep. A record it cannot read is an error: the
// file has been written by a newer program or damaged.
func New(ctx context.Context, keep Keep) (*Registry, error) {
	records, err := keep.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load clients: %w", err)
	}
	clients := make(map[string]*entry, len(records))
	for id, kept := range records {
		if clients[id], err = decode(id, kept); err != nil {
			return nil, err
		}
	}
	return &Registry{keep: keep, clients: clients, tries: map[string]int{}}, nil
}

// Pair turns the open code into a client with a token bound to origin. The
// token is returned this once. The error is [ErrWrongCode], [ErrTries] (5 wrong
// tries of this origin), [ErrNoCode] (none made, expired, used, or dead after 50
// wrong tries of all), [ErrNoOrigin], or the [Keep]'s; after the last one the
// code is still good.
func (r *Registry) Pair(ctx context.Context, code, label, origin, browser string) (clientID, token string, err error) {
	if origin == "" {
		return "", "", ErrNoOrigin
	}
	r.saving.Lock() // so that two who know the code cannot both use it
	defer r.saving.Unlock()
	open, err := r.match(code, origin)
	if err != nil {
		return "", "", err
	}
	c, token, err := r.add(ctx, label, origin, browser)
	if err != nil {
		return "", "", err
	}
	r.spend(open, origin)
	return c.ID, token, nil
}

// Add makes a client for a program that has no Origin, at the user's own
// request and therefore without a code. The token is returned this once. The
// error is [ErrNoLabel], if nothing printable is left of label, or the
// [Keep]'s.
func (r *Registry) Add(ctx context.Context, label string) (c Client, token string, err error) {
	if clean(label) == "" {
		return Client{}, "", ErrNoLabel
	}
	r.saving.Lock()
	defer r.saving.Unlock()
	return r.add(ctx, label, "", "")
}

// add makes, keeps and enters a client; saving is held.
func (r *Registry) add(ctx context.Context, label, origin, browser string) (c Client, token string, err error) {
	var rawID [8]byte
	var rawToken [32]byte
	rand.Read(rawID[:]) // never fails: crypto/rand ends the program instead
	rand.Read(rawToken[:])
	token = base64.RawURLEncoding.EncodeToString(rawToken[:])
	now := time.Now().UTC()
	e := &entry{
		Client: Client{
			ID: hex.EncodeToString(rawID[:]), Label: clean(label), Origin: origin, Browser: clean(browser), PairedAt: now,
		},
		hash: sha256.Sum256([]byte(token)), savedAt: now, revoked: make(chan struct{}),
	}
	if !e.Program() { // a browser pairs itself, a program is only announced
		e.LastSeen = now
	}
	if err := r.save(ctx, e); err != nil {
		return Client{}, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clients[e.ID] = e
	return e.Client, token, nil
}

// Check finds the client whose token this is, if it comes from the Origin it
// is bound to. The error is [ErrWrongToken] or [ErrWrongOrigin]; a caller
// tells both the same way.
func (r *Registry) Check(token, origin string) (Client, error) {
	hash := sha256.Sum256([]byte(token))
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *entry
	for _, e := range r.clients { // all of them, so that time tells nothing
		if subtle.ConstantTimeCompare(hash[:], e.hash[:]) == 1 {
			found = e
		}
	}
	if found == nil {
		return Client{}, ErrWrongToken
	}
	if subtle.ConstantTimeCompare([]byte(found.Origin), []byte(origin)) != 1 {
		return Client{}, ErrWrongOrigin
	}
	return found.Client, nil
}

// Proof proves to a client that we know the hash of its token; see the
// package comment for its form. There is none, and false, for a client that
// is not known or speaks from another Origin than its own.
func (r *Registry) Proof(clientID, origin, nonce string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.clients[clientID]
	if !ok || e.Origin != origin {
		return "", false
	}
	return prove(e.hash, nonce), true
}

// ProofFor is the proof that the daemon must give to the holder of token.
func ProofFor(token, nonce string) string { return prove(sha256.Sum256([]byte(token)), nonce) }

func prove(hash [sha256.Size]byte, nonce string) string {
	mac := hmac.New(sha256.New, hash[:])
	mac.Write([]byte(nonce)) // a hash never fails to write
	return hex.EncodeToString(mac.Sum(nil))
}

// Label is a client's name; "" for an unknown one.
func (r *Registry) Label(clientID string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.clients[clientID]; ok {
		return e.Label
	}
	return ""
}

// List returns the clients, the eldest first.
func (r *Registry) List() []Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Client, 0, len(r.clients))
	for _, e := range r.clients {
		list = append(list, e.Client)
	}
	slices.SortFunc(list, func(a, b Client) int {
		return cmp.Or(a.PairedAt.Compare(b.PairedAt), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// Seen notes that a client has spoken just now. It goes to disk at most once
// a minute; the error is the [Keep]'s or [ErrNotFound].
func (r *Registry) Seen(ctx context.Context, id string) error {
	now := time.Now().UTC()
	if due, err := r.touch(id, now); err != nil || !due {
		return err
	}
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	e, ok := r.clients[id] // again: it may have been revoked while we waited
	var copied entry
	if ok {
		e.savedAt = now // before the save: a disk in trouble is not asked each time
		copied = *e
	}
	r.mu.Unlock()
	if !ok {
		return ErrNotFound
	}
	return r.save(ctx, &copied)
}

// touch sets LastSeen in memory and reports whether it should go to disk.
func (r *Registry) touch(id string, now time.Time) (due bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.clients[id]
	if !ok {
		return false, ErrNotFound
	}
	e.LastSeen = now
	return now.Sub(e.savedAt) >= seenEvery, nil
}

// SetUnread keeps which sites a client cannot read any more. It goes to disk when
// it changes; the error is the [Keep]'s or [ErrNotFound].
func (r *Registry) SetUnread(ctx context.Context, id string, unread []string) error {
	var names []string
	for _, name := range unread {
		if name = clean(name); name != "" {
			names = append(names, name)
		}
	}
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	e, ok := r.clients[id]
	if !ok {
		r.mu.Unlock()
		return ErrNotFound
	}
	same := slices.Equal(e.Unread, names)
	e.Unread = names
	copied := *e
	r.mu.Unlock()
	if same {
		return nil
	}
	return r.save(ctx, &copied)
}

// Revoke forgets a client for good, on disk first, and tells whoever waits on
// its [Registry.Revoked] channel. The error is [ErrNotFound] or the [Keep]'s;
// after the latter the client is still paired.
func (r *Registry) Revoke(ctx context.Context, id string) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	e, ok := r.clients[id]
	r.mu.Unlock()
	if !ok {
		return ErrNotFound
	}
	if err := r.keep.Save(ctx, id, nil); err != nil {
		return fmt.Errorf("forget client %s: %w", id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, id)
	close(e.revoked)
	return nil
}

// Revoked returns a channel that is closed when the client is revoked. For a
// client that is not known, or no more, it is closed already: who asks after
// [Registry.Check] cannot miss a revocation in between.
func (r *Registry) Revoked(id string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.clients[id]; ok {
		return e.revoked
	}
	gone := make(chan struct{})
	close(gone)
	return gone
}

// save keeps an entry that nobody else changes.
func (r *Registry) save(ctx context.Context, e *entry) error {
	kept, err := e.encode()
	if err != nil {
		return fmt.Errorf("encode client %s: %w", e.ID, err)
	}
	if err := r.keep.Save(ctx, e.ID, kept); err != nil {
		return fmt.Errorf("keep client %s: %w", e.ID, err)
	}
	return nil
}
