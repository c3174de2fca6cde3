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

// keyForms matches keys of the service and tokens of TMDB.
var keyForms = regexp.MustCompile(`\b([sp]k_|eyJ)[\w.-]+`)

// HideKeys removes everything that looks like a key from a text: users paste keys into wrong
// fields.
func HideKeys(text string) string { return keyForms.ReplaceAllString(text, "$1…") }

// hideMessageKeys removes keys from the values of a message.
func hideMessageKeys(m viewing.Message) viewing.Message {
	for name, value := range m.Args {
		m.Args[name] = HideKeys(value)
	}
	return m
}

// Secret is a text that is always printed as "(secret)": in logs, errors, JSON and format verbs.
type Secret struct{ text string }

// NewSecret wraps text, without surrounding white space.
func NewSecret(text string) Secret { return Secret{text: strings.TrimSpace(text)} }

// Reveal returns the text, for sending it.
func (s Secret) Reveal() string { return s.text }

// IsZero reports whether the text is empty.
func (s Secret) IsZero() bool { return s.text == "" }

// String hides the text.
func (s Secret) String() string { return "(secret)" }

// GoString hides the text from %#v.
func (s Secret) GoString() string { return "(secret)" }

// LogValue hides the text from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue("(secret)") }

// MarshalText hides the text from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Credential is the address and the key of an account, with the source of each.
type Credential struct {
	Account    string
	BaseURL    string // empty if unknown
	URLSource  string // a file, or "login"
	KeyHeader  string
	Key        Secret // may be zero
	KeySource  string // "systemd credential", "key file", "FILMSPOOL_KEY"
	ProvenFor  string // the origin that accepted the key; empty if unknown
	UserID     string // the key's user, if the service reports it
	UserName   string
	KeyProblem viewing.Message // why there is no usable key
}

// Keys loads and stores the secret keys of an instance.
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

// Find returns the address and the key of an account. The key comes from a systemd credential,
// the key file or the environment, the address from the configuration or the key file, in this
// order. A key file that others can read is refused.
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

// OriginOf returns the scheme, host and port of an address, including a default port.
func OriginOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	port := cmp.Or(u.Port(), map[string]string{"https": "443"}[u.Scheme], "80")
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}

// credential reads a systemd credential. A missing one is empty.
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

// readFile reads a file in the folder of keys. A missing one is empty, one that others can read
// is refused.
func (k Keys) readFile(name string) ([]byte, error) {
	file := filepath.Join(k.Dir, "keys", name)
	if info, err := os.Stat(file); err == nil && !isPrivate(file, info) {
		return nil, &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.keyOpen", "file", file, "command", restrictCommand(file))}
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	return text, nil
}

// Secret returns a systemd credential, which sets fromSystemd, else a file in the folder of keys, else
// zero.
func (k Keys) Secret(name string) (secret Secret, fromSystemd bool, err error) {
	text, err := k.credential(name)
	if err != nil || text != "" {
		return NewSecret(text), true, err
	}
	kept, err := k.readFile(name)
	return NewSecret(string(kept)), false, err
}

// TMDB returns the token for TMDB, and whether it is a systemd credential.
func (k Keys) TMDB() (token Secret, fromSystemd bool, err error) { return k.Secret(tmdbToken) }

// Names of secrets other than the keys of accounts.
const (
	tmdbToken    = "tmdb-token"
	WebhookToken = "webhook-token"
)

// SaveTMDB stores a token for TMDB.
func (k Keys) SaveTMDB(token Secret) error { return k.save(tmdbToken, []byte(token.Reveal())) }

// Password returns the password of a user of a library's MySQL server. It is zero for a user name
// that is not a valid file name.
func (k Keys) Password(user string) (password Secret, err error) {
	if userName.MatchString(user) {
		password, _, err = k.Secret("kodi-mysql-" + user)
	}
	return password, err
}

// userName matches names that are safe as part of a file name.
var userName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,80}$`)

// read reads an account's key file. A missing one is empty.
func (k Keys) read(name string) (s stored, err error) {
	text, err := k.readFile(name + ".json")
	if err != nil || text == nil {
		return s, err
	}
	if json.Unmarshal(text, &s) != nil { // the decoder's error could quote the file
		return s, &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.keyDamaged", "file", filepath.Join(k.Dir, "keys", name+".json"))}
	}
	return s, nil
}

// Save stores the result of a login, readable only by the owner, in place of an older file.
func (k Keys) Save(c Credential) error {
	text, err := json.MarshalIndent(stored{
		BaseURL: c.BaseURL, Key: c.Key.Reveal(), ProvenFor: c.ProvenFor, UserID: c.UserID, UserName: c.UserName,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("save the key: %w", err)
	}
	return k.save(c.Account+".json", text)
}

// save writes a file in the folder of keys, readable only by the owner.
func (k Keys) save(name string, text []byte) error {
	dir := filepath.Join(k.Dir, "keys")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("save the key: %w", err)
	}
	return WriteFile(filepath.Join(dir, name), append(text, '\n'))
}

// WriteFile replaces a file atomically: the new content is flushed to disk before it replaces the
// old file. The file has mode 0600.
func WriteFile(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*") // of mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, restrictAccess(f.Name()), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
