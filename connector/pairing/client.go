package pairing

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// maxLabel bounds the texts a client chooses for itself, in characters.
const maxLabel = 80

// Client is one paired browser profile or program.
type Client struct {
	ID       string    `json:"id"`               // 16 hexadecimal digits
	Label    string    `json:"label"`            // the user's or the client's name for it, at most 80 characters
	Origin   string    `json:"origin,omitempty"` // exactly as it paired; "" for a program
	Browser  string    `json:"browser,omitempty"`
	PairedAt time.Time `json:"pairedAt"`
	LastSeen time.Time `json:"lastSeen"` // on disk up to a minute behind
	// Unread are the sites that the client could not read any more when it was last heard of, by name.
	Unread []string `json:"unread,omitempty"`
}

// Program reports whether the client is a program, which has no Origin; all
// others are browsers.
func (c Client) Program() bool { return c.Origin == "" }

// entry is a client with what only the registry may know.
type entry struct {
	Client
	hash    [sha256.Size]byte
	savedAt time.Time     // when LastSeen last went to disk
	revoked chan struct{} // closed when the client is revoked
}

// record is an entry as it is kept.
type record struct {
	Version  int       `json:"v"`
	Hash     []byte    `json:"hash"`
	Label    string    `json:"label"`
	Origin   string    `json:"origin"`
	Browser  string    `json:"browser"`
	PairedAt time.Time `json:"pairedAt"`
	LastSeen time.Time `json:"lastSeen"`
	Unread   []string  `json:"unread,omitempty"`
}

const recordVersion = 1

// encode is the client as it is kept.
func (e *entry) encode() ([]byte, error) {
	return json.Marshal(record{
		Version: recordVersion, Hash: e.hash[:], Label: e.Label, Origin: e.Origin, Browser: e.Browser,
		PairedAt: e.PairedAt.UTC(), LastSeen: e.LastSeen.UTC(), Unread: e.Unread,
	})
}

// decode reads what encode wrote.
func decode(id string, kept []byte) (*entry, error) {
	var rec record
	if err := json.Unmarshal(kept, &rec); err != nil {
		return nil, fmt.Errorf("read client %s: %w", id, err)
	}
	if rec.Version != recordVersion || len(rec.Hash) != sha256.Size {
		return nil, fmt.Errorf("read client %s: version %d with a hash of %d bytes is not known", id, rec.Version, len(rec.Hash))
	}
	e := &entry{
		Client: Client{
			ID: id, Label: rec.Label, Origin: rec.Origin, Browser: rec.Browser,
			PairedAt: rec.PairedAt, LastSeen: rec.LastSeen, Unread: rec.Unread,
		},
		hash: [sha256.Size]byte(rec.Hash), savedAt: rec.LastSeen, revoked: make(chan struct{}),
	}
	return e, nil
}

// clean makes a text from outside fit to stand in a terminal: printable
// characters only, so no escape sequences and no reversed writing.
func clean(text string) string {
	text = strings.TrimSpace(strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, text))
	if runes := []rune(text); len(runes) > maxLabel {
		return strings.TrimSpace(string(runes[:maxLabel]))
	}
	return text
}
