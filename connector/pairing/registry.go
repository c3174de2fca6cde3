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
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// What can be wrong with a code, a token or a client.
var (
	ErrWrongCode  = errors.New("wrong or expired pairing code, or too many tries")
	ErrWrongToken = errors.New("token not known, or of another origin")
	ErrNotFound   = errors.New("no such client")
	ErrNoOrigin   = errors.New("pairing needs an origin")
	ErrNoLabel    = errors.New("a program needs a name")
)

// seenEvery is how often a client's LastSeen goes to disk at most.
const seenEvery = time.Minute

// Store stores clients. Records are opaque to it.
type Store interface {
	// Load returns all records by client id.
	Load(ctx context.Context) (map[string][]byte, error)
	// Save stores a record durably; a nil record deletes it.
	Save(ctx context.Context, id string, record []byte) error
}

// Registry holds the clients and the current code. Its methods may be called by
// several goroutines at once.
type Registry struct {
	store Store

	// saving is held across every change that goes to disk, so that disk and
	// memory change in the same order. It is taken before mu.
	saving sync.Mutex

	mu      sync.Mutex // guards the following fields, never held during I/O
	clients map[string]*entry
	code    Code           // the one that can be used now
	tries   map[string]int // wrong tries against the current code, by Origin
}

// New loads the clients from store. A record that cannot be read is an error.
func New(ctx context.Context, store Store) (*Registry, error) {
	records, err := store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load clients: %w", err)
	}
	clients := make(map[string]*entry, len(records))
	for id, encoded := range records {
		if clients[id], err = decode(id, encoded); err != nil {
			return nil, err
		}
	}
	return &Registry{store: store, clients: clients, tries: map[string]int{}}, nil
}

// Pair exchanges the current code for a client with a token bound to origin. The token is
// returned only here. The error is [ErrWrongCode], for a code that is wrong or expired, and
// for any code after 5 wrong tries of this Origin or 50 of all; [ErrNoOrigin]; or that of the
// [Store], after which the code can still be used.
func (r *Registry) Pair(ctx context.Context, code, label, origin, browser string) (clientID, token string, err error) {
	if origin == "" {
		return "", "", ErrNoOrigin
	}
	r.saving.Lock()
	defer r.saving.Unlock()
	used, err := r.useCode(code, origin)
	if err != nil {
		return "", "", err
	}
	c, token, err := r.add(ctx, label, origin, browser)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.code.Text == "" { // no newer one
			r.code = used
		}
		return "", "", err
	}
	return c.ID, token, nil
}

// Add creates a client for a program, which has no Origin. The user asks for it, so it needs no
// code. The token is returned only here. The error is [ErrNoLabel], if label has nothing
// printable, or that of the [Store].
func (r *Registry) Add(ctx context.Context, label string) (c Client, token string, err error) {
	if clean(label) == "" {
		return Client{}, "", ErrNoLabel
	}
	r.saving.Lock()
	defer r.saving.Unlock()
	return r.add(ctx, label, "", "")
}

// add creates and stores a client; saving is held.
func (r *Registry) add(ctx context.Context, label, origin, browser string) (c Client, token string, err error) {
	var rawID [8]byte
	var rawToken [32]byte
	rand.Read(rawID[:]) // never fails: crypto/rand ends the program instead
	rand.Read(rawToken[:])
	token = base64.RawURLEncoding.EncodeToString(rawToken[:])
	hash, now := sha256.Sum256([]byte(token)), time.Now().UTC()
	e := newEntry(record{Hash: hash[:], Client: Client{
		ID: hex.EncodeToString(rawID[:]), Label: clean(label), Origin: origin, Browser: clean(browser), PairedAt: now,
	}})
	if !e.Program() { // a browser pairs itself; a program has not been in contact yet
		e.LastSeen, e.savedAt = now, now
	}
	if err := r.save(ctx, e.record); err != nil {
		return Client{}, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clients[e.ID] = e
	return e.Client, token, nil
}

// Check finds the client whose token this is, if it comes from the Origin it
// is bound to. The error is [ErrWrongToken].
func (r *Registry) Check(token, origin string) (Client, error) {
	hash := sha256.Sum256([]byte(token))
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *entry
	for _, e := range r.clients { // all of them, so that the time taken reveals nothing
		if subtle.ConstantTimeCompare(hash[:], e.Hash) == 1 {
			found = e
		}
	}
	if found == nil || found.Origin != origin {
		return Client{}, ErrWrongToken
	}
	return found.Client, nil
}

// Proof returns the proof that we know the hash of the client's token; the package comment has its
// form. It returns false for a client that is not known or has another Origin.
func (r *Registry) Proof(clientID, origin, nonce string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.clients[clientID]
	if !ok || e.Origin != origin {
		return "", false
	}
	return prove(e.Hash, nonce), true
}

// ProofFor returns the proof that a client with this token must expect.
func ProofFor(token, nonce string) string {
	hash := sha256.Sum256([]byte(token))
	return prove(hash[:], nonce)
}

func prove(hash []byte, nonce string) string {
	mac := hmac.New(sha256.New, hash)
	mac.Write([]byte(nonce)) // a hash never fails to write
	return hex.EncodeToString(mac.Sum(nil))
}

// Label returns a client's name; "" for an unknown one.
func (r *Registry) Label(clientID string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.clients[clientID]; ok {
		return e.Label
	}
	return ""
}

// List returns the clients in the order of pairing.
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

// Seen records that a client was in contact just now. It goes to disk at most once a minute. The
// error is [ErrNotFound] or that of the [Store].
func (r *Registry) Seen(ctx context.Context, id string) error {
	now := time.Now().UTC()
	return r.update(ctx, id, func(e *entry) bool {
		e.LastSeen = now
		due := now.Sub(e.savedAt) >= seenEvery
		if due {
			e.savedAt = now // before the save: a failing disk is not tried each time
		}
		return due
	})
}

// SetUnread records which sites a client can no longer read. It goes to disk when it changes. The
// error is [ErrNotFound] or that of the [Store].
func (r *Registry) SetUnread(ctx context.Context, id string, unread []string) error {
	var names []string
	for _, name := range unread {
		if name = clean(name); name != "" {
			names = append(names, name)
		}
	}
	return r.update(ctx, id, func(e *entry) bool {
		changed := !slices.Equal(e.Unread, names)
		e.Unread = names
		return changed
	})
}

// update changes a client, and saves it if change returns true.
func (r *Registry) update(ctx context.Context, id string, change func(*entry) (save bool)) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	e, ok := r.clients[id]
	if !ok {
		r.mu.Unlock()
		return ErrNotFound
	}
	save, changed := change(e), e.record
	r.mu.Unlock()
	if !save {
		return nil
	}
	return r.save(ctx, changed)
}

// Rename changes a client's name. The error is [ErrNoLabel], [ErrNotFound] or that of the [Store].
func (r *Registry) Rename(ctx context.Context, id, label string) error {
	if label = clean(label); label == "" {
		return ErrNoLabel
	}
	return r.update(ctx, id, func(e *entry) bool {
		e.Label = label
		return true
	})
}

// Revoke deletes a client, first on disk, and cancels its [Registry.Revoked] context. The error is
// [ErrNotFound] or that of the [Store], after which the client is still paired.
func (r *Registry) Revoke(ctx context.Context, id string) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	e, ok := r.clients[id]
	r.mu.Unlock()
	if !ok {
		return ErrNotFound
	}
	if err := r.store.Save(ctx, id, nil); err != nil {
		return fmt.Errorf("delete client %s: %w", id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, id)
	e.revoke()
	return nil
}

// Revoked returns a context that is canceled when the client is revoked. For a client that is not
// known it is canceled already, so a caller of [Registry.Check] misses no revocation.
func (r *Registry) Revoked(id string) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.clients[id]; ok {
		return e.revoked
	}
	ended, end := context.WithCancel(context.Background())
	end()
	return ended
}

// save stores a client.
func (r *Registry) save(ctx context.Context, rec record) error {
	encoded, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encode client %s: %w", rec.ID, err)
	}
	if err := r.store.Save(ctx, rec.ID, encoded); err != nil {
		return fmt.Errorf("save client %s: %w", rec.ID, err)
	}
	return nil
}
