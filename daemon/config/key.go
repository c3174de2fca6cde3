package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// keyForms are what keys of the service and tokens of TMDB look like.
var keyForms = regexp.MustCompile(`\b([sp]k_|eyJ)[\w.-]+`)

// HideKeys cuts out of a text whatever looks like a key: people write theirs at wrong places.
func HideKeys(text string) string { return keyForms.ReplaceAllString(text, "$1…") }

// withoutKeys is a message whose values have no key.
func withoutKeys(m viewing.Message) viewing.Message {
	for name, value := range m.Args {
		m.Args[name] = HideKeys(value)
	}
	return m
}

// Secret is a text that prints as "(secret)" wherever it ends up: logs,
// errors, JSON, format verbs.
type Secret struct{ text string }

// NewSecret wraps text, without surrounding white space.
func NewSecret(text string) Secret { return Secret{text: strings.TrimSpace(text)} }

// Reveal is the text itself, for the one place that sends it.
func (s Secret) Reveal() string { return s.text }

// IsZero reports whether there is none.
func (s Secret) IsZero() bool { return s.text == "" }

// String hides the text.
func (s Secret) String() string { return "(secret)" }

// GoString hides the text from %#v.
func (s Secret) GoString() string { return "(secret)" }

// LogValue hides the text from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue("(secret)") }

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Credential is what an account needs to be sent: an address and a key, and
// where each came from.
type Credential struct {
	Account    string
	BaseURL    string // empty: not known yet
	URLSource  string // a file, or "login"
	KeyHeader  string
	Key        Secret // zero: none
	KeySource  string // "systemd credential", "key file", "FILMSPOOL_KEY"
	ProvenFor  string // the origin the key was proven for; empty when unknown
	UserID     string // whose key it is, where the service says
	UserName   string
	KeyProblem viewing.Message // why no key can be used; none when Key is set
}

// Keys finds and keeps the secret keys of one instance.
type Keys struct {
	Dir    string              // the state folder
	Getenv func(string) string // the environment
}

// stored is the content of a key file.
type stored struct {
	BaseURL   string `json:"baseUrl"`
	Key       string `json:"key"`
	ProvenFor string `json:"provenFor,omitempty"`
	UserID    string `json:"userId,omitempty"`
	UserName  string `json:"userName,omitempty"`
}

// Find gathers address and key of an account, the strongest source first:
// systemd credential, key file, environment for the key; configuration, key
// file for the address. A key file that others can read is refused.
func (k Keys) Find(name string, a Account, file string) (Credential, error) {
	c := Credential{Account: name, BaseURL: a.BaseURL, KeyHeader: a.KeyHeader}
	if c.BaseURL != "" {
		c.URLSource = file
	}
	kept, err := k.read(name)
	if err != nil {
		return c, err
	}
	if c.BaseURL == "" && kept.BaseURL != "" {
		c.BaseURL, c.URLSource = kept.BaseURL, "login"
	}
	credential := "api-key"
	if name != viewing.DefaultAccount {
		credential += "-" + name
	}
	key, err := k.credential(credential)
	if err != nil {
		return c, err
	}
	switch {
	case key != "":
		c.Key, c.KeySource = NewSecret(key), "systemd credential"
	case kept.Key != "":
		c.Key, c.KeySource = NewSecret(kept.Key), "key file"
		c.ProvenFor, c.UserID, c.UserName = kept.ProvenFor, kept.UserID, kept.UserName
	case name == viewing.DefaultAccount && k.Getenv("FILMSPOOL_KEY") != "":
		c.Key, c.KeySource = NewSecret(k.Getenv("FILMSPOOL_KEY")), "FILMSPOOL_KEY"
	default:
		c.KeyProblem = viewing.Say("noKey")
	}
	if origin := OriginOf(c.BaseURL); c.BaseURL != "" && c.ProvenFor != "" && origin != c.ProvenFor {
		c.Key, c.KeyProblem = Secret{}, viewing.Say("keyElsewhere", "from", c.ProvenFor, "to", origin)
	}
	return c, nil
}

// OriginOf is scheme, host and port of an address, with the port spelt out.
func OriginOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	port := cmp.Or(u.Port(), map[string]string{"https": "443"}[u.Scheme], "80")
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}

// credential reads one of systemd's credentials; a missing one is empty.
func (k Keys) credential(name string) (string, error) {
	dir := k.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the systemd credential: %w", err)
	}
	return string(text), nil
}

// readFile reads a file of the folder of keys; a missing one is empty. One that others can
// read is refused.
func (k Keys) readFile(name string) ([]byte, error) {
	file := filepath.Join(k.Dir, "keys", name)
	if info, err := os.Stat(file); err == nil && !private(file, info) {
		return nil, &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.keyOpen", "file", file, "command", howToShield(file))}
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	return text, nil
}

// Secret is what is called so among systemd's credentials, which is handed, else in the
// folder of keys. It is zero where neither has it.
func (k Keys) Secret(name string) (secret Secret, handed bool, err error) {
	text, err := k.credential(name)
	if err != nil || text != "" {
		return NewSecret(text), true, err
	}
	kept, err := k.readFile(name)
	return NewSecret(string(kept)), false, err
}

// TMDB is the token for TMDB, and whether systemd hands it.
func (k Keys) TMDB() (token Secret, handed bool, err error) { return k.Secret(tmdbToken) }

// The names of secrets beside the keys of accounts.
const (
	tmdbToken    = "tmdb-token"
	WebhookToken = "webhook-token"
)

// SaveTMDB keeps a token for TMDB.
func (k Keys) SaveTMDB(token Secret) error { return k.save(tmdbToken, []byte(token.Reveal())) }

// Password is that of a user of a library's MySQL server. A user whose name could not be a
// file's has none.
func (k Keys) Password(user string) (password Secret, err error) {
	if userName.MatchString(user) {
		password, _, err = k.Secret("kodi-mysql-" + user)
	}
	return password, err
}

// userName allows names that are safe as part of a file's.
var userName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,80}$`)

// read reads an account's key file; a missing one is empty.
func (k Keys) read(name string) (s stored, err error) {
	text, err := k.readFile(name + ".json")
	if err != nil || text == nil {
		return s, err
	}
	if json.Unmarshal(text, &s) != nil { // the decoder's own words could quote the file
		return s, &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.keyDamaged", "file", filepath.Join(k.Dir, "keys", name+".json"))}
	}
	return s, nil
}

// Save keeps what login proved, for the owner alone, and replaces an older
// file whole.
func (k Keys) Save(c Credential) error {
	text, err := json.MarshalIndent(stored{
		BaseURL: c.BaseURL, Key: c.Key.Reveal(), ProvenFor: c.ProvenFor, UserID: c.UserID, UserName: c.UserName,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("save the key: %w", err)
	}
	return k.save(c.Account+".json", text)
}

// save keeps a file of the folder of keys, for the owner alone.
func (k Keys) save(name string, text []byte) error {
	dir := filepath.Join(k.Dir, "keys")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("save the key: %w", err)
	}
	return WriteFile(filepath.Join(dir, name), append(text, '\n'))
}

// WriteFile replaces a file of its owner alone, whole or not at all: it is flushed before it
// takes the old one's place.
func WriteFile(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // of mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, shield(f.Name()), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
