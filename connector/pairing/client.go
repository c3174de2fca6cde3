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

// maxLabel is the maximum length of a label or a browser's name, in characters.
const maxLabel = 80

// Client is one paired browser profile or program.
type Client struct {
	ID       string    `json:"-"`                // 16 hexadecimal digits
	Label    string    `json:"label"`            // the user's or the client's name for it, at most 80 characters
	Origin   string    `json:"origin,omitempty"` // exactly as it paired; "" for a program
	Browser  string    `json:"browser,omitempty"`
	PairedAt time.Time `json:"pairedAt"`
	LastSeen time.Time `json:"lastSeen"` // on disk up to a minute behind
	// Unread are the names of the sites that the client can no longer read.
	Unread []string `json:"unread,omitempty"`
}

// Program reports whether the client is a program, which has no Origin; all
// others are browsers.
func (c Client) Program() bool { return c.Origin == "" }

// record is a client as it is stored.
type record struct {
	Hash []byte `json:"hash"` // SHA-256 of the token
	Client
}

// entry is a client in memory.
type entry struct {
	record
	savedAt time.Time       // when LastSeen last went to disk
	revoked context.Context // canceled when the client is revoked
	revoke  context.CancelFunc
}

func newEntry(rec record) *entry {
	e := &entry{record: rec, savedAt: rec.LastSeen}
	e.revoked, e.revoke = context.WithCancel(context.Background())
	return e
}

// decode reads a stored client.
func decode(id string, encoded []byte) (*entry, error) {
	var rec record
	if err := json.Unmarshal(encoded, &rec); err != nil {
		return nil, fmt.Errorf("read client %s: %w", id, err)
	}
	if len(rec.Hash) != sha256.Size {
		return nil, fmt.Errorf("read client %s: its hash has %d bytes", id, len(rec.Hash))
	}
	rec.ID = id
	return newEntry(rec), nil
}

// clean removes from a foreign text what is not printable, such as terminal escapes and marks that
// reverse the writing, and cuts it to maxLabel characters.
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
