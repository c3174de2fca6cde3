package pairing

import (
	"context"
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
	ID       string    `json:"-"`                // 16 hexadecimal digits
	Label    string    `json:"label"`            // the user's or the client's name for it, at most 80 characters
	Origin   string    `json:"origin,omitempty"` // exactly as it paired; "" for a program
	Browser  string    `json:"browser,omitempty"`
	PairedAt time.Time `json:"pairedAt"`
	LastSeen time.Time `json:"lastSeen"` // on disk up to a minute behind
	// Unread are the sites that the client cannot read any more, by name.
	Unread []string `json:"unread,omitempty"`
}

// Program reports whether the client is a program, which has no Origin; all
// others are browsers.
func (c Client) Program() bool { return c.Origin == "" }

// record is a client as it is kept.
type record struct {
	Hash []byte `json:"hash"` // SHA-256 of the token
	Client
}

// entry is a client in memory.
type entry struct {
	record
	savedAt time.Time       // when LastSeen last went to disk
	revoked context.Context // ends when the client is revoked
	revoke  context.CancelFunc
}

func newEntry(rec record) *entry {
	e := &entry{record: rec, savedAt: rec.LastSeen}
	e.revoked, e.revoke = context.WithCancel(context.Background())
	return e
}

// decode reads a client as it is kept.
func decode(id string, kept []byte) (*entry, error) {
	var rec record
	if err := json.Unmarshal(kept, &rec); err != nil {
		return nil, fmt.Errorf("read client %s: %w", id, err)
	}
	if len(rec.Hash) != sha256.Size {
		return nil, fmt.Errorf("read client %s: its hash has %d bytes", id, len(rec.Hash))
	}
	rec.ID = id
	return newEntry(rec), nil
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
