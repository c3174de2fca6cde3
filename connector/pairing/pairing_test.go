package pairing_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
)

const (
	origin = "chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdg"
	other  = "moz-extension://a"
)

// shelf is a Keep in memory.
type shelf struct {
	mu      sync.Mutex
	records map[string][]byte
	saves   int
	fail    error
	gate    chan struct{} // a Save that deletes waits for it, if not nil
}

func (s *shelf) Load(context.Context) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.records), s.fail
}

func (s *shelf) Save(_ context.Context, id string, record []byte) error {
	if s.gate != nil && record == nil {
		<-s.gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.saves++
	if s.records == nil {
		s.records = map[string][]byte{}
	}
	s.records[id] = bytes.Clone(record)
	if record == nil {
		delete(s.records, id)
	}
	return nil
}

func open(t *testing.T, store pairing.Store) *pairing.Registry {
	t.Helper()
	r, err := pairing.New(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pair(t *testing.T, r *pairing.Registry) (id, token string) {
	t.Helper()
	id, token, err := r.Pair(t.Context(), r.NewCode().Text, "desk", origin, "chromium")
	if err != nil {
		t.Fatal(err)
	}
	return id, token
}

// try types a code for an Origin.
func try(t *testing.T, r *pairing.Registry, code, from string) error {
	t.Helper()
	_, _, err := r.Pair(t.Context(), code, "", from, "")
	return err
}

// A code gives one token once. The token is kept nowhere, and counts after a restart.
func TestACodeGivesATokenOnce(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	code := r.NewCode().Text
	if len(code) != 8 || strings.Trim(code, "23456789ABCDEFGHJKLMNPQRSTUVWXYZ") != "" || code == r.NewCode().Text {
		t.Fatalf("code %q", code)
	}
	code = r.NewCode().Text
	id, token, err := r.Pair(t.Context(), code, "desk", origin, "chromium")
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) != 32 {
		t.Errorf("token %q is not 32 bytes in base64url (%v)", token, err)
	}
	if err := try(t, r, code, origin); !errors.Is(err, pairing.ErrWrongCode) {
		t.Errorf("second use: %v, want ErrWrongCode", err)
	}
	if bytes.Contains(keep.records[id], []byte(token)) {
		t.Error("the token itself was kept")
	}
	client, err := open(t, keep).Check(token, origin)
	if err != nil || client.ID != id || client.Label != "desk" || client.Browser != "chromium" || client.Origin != origin {
		t.Errorf("after a restart: %+v, %v", client, err)
	}
}

// A code used several times at once pairs one client.
func TestConcurrentPairing(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _, _, _ = r.Pair(t.Context(), code, "", origin, "") })
	}
	all.Wait()
	if n := len(r.List()); n != 1 {
		t.Errorf("%d clients", n)
	}
}

func TestCodesAreReadWithSpacesAndDashes(t *testing.T) {
	for name, form := range map[string]func(code string) string{
		"lower case":  strings.ToLower,
		"en dash":     func(c string) string { return c[:4] + " – " + c[4:] },
		"with spaces": func(c string) string { return " " + strings.Join(strings.Split(c, ""), " ") + "\t\n" },
	} {
		r := open(t, &shelf{})
		if err := try(t, r, form(r.NewCode().Text), origin); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After five wrong codes an Origin can no longer use the code; others still can.
func TestWrongTriesOfOneOrigin(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	for i := range 200 {
		if err := try(t, r, "WRONG222", other); !errors.Is(err, pairing.ErrWrongCode) {
			t.Fatalf("try %d: %v", i+1, err)
		}
	}
	if err := try(t, r, code, other); !errors.Is(err, pairing.ErrWrongCode) {
		t.Errorf("right code at its sixth try: %v", err)
	}
	for range 4 {
		_ = try(t, r, "WRONG222", origin)
	}
	if err := try(t, r, code, origin); err != nil {
		t.Errorf("the user at the fifth try: %v", err)
	}
}

// Fifty wrong codes of all Origins together invalidate a code.
func TestWrongTriesOfAllOrigins(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	for i := range 50 {
		if err := try(t, r, "WRONG222", fmt.Sprint("moz-extension://", i)); !errors.Is(err, pairing.ErrWrongCode) {
			t.Fatalf("try %d: %v", i+1, err)
		}
	}
	if err := try(t, r, code, origin); !errors.Is(err, pairing.ErrWrongCode) {
		t.Errorf("right code at try 51: %v, want ErrWrongCode", err)
	}
}

// A new code invalidates the one before, and resets the tries.
func TestNewCodeReplacesTheOld(t *testing.T) {
	r := open(t, &shelf{})
	old := r.NewCode().Text
	for range 4 {
		_ = try(t, r, "WRONG222", origin)
	}
	code := r.NewCode().Text
	if err := try(t, r, old, origin); !errors.Is(err, pairing.ErrWrongCode) {
		t.Errorf("old code: %v", err)
	}
	if err := try(t, r, code, origin); err != nil {
		t.Errorf("new code: %v", err)
	}
}

func TestCodeExpires(t *testing.T) {
	for wait, want := range map[time.Duration]error{
		10*time.Minute - time.Millisecond: nil,
		10 * time.Minute:                  pairing.ErrWrongCode,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, &shelf{})
			code := r.NewCode()
			if got := time.Until(code.ExpiresAt); got != 10*time.Minute {
				t.Errorf("expires in %v", got)
			}
			<-time.After(wait)
			if err := try(t, r, code.Text, origin); !errors.Is(err, want) {
				t.Errorf("after %v: %v, want %v", wait, err, want)
			}
		})
	}
}

// On a full disk the code and the client stay valid.
func TestFullDisk(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	id, token := pair(t, r)
	code := r.NewCode().Text
	keep.fail = errors.New("disk full")
	if err := try(t, r, code, origin); !errors.Is(err, keep.fail) {
		t.Errorf("pairing: %v", err)
	}
	if err := r.Revoke(t.Context(), id); !errors.Is(err, keep.fail) {
		t.Errorf("revoking: %v", err)
	}
	if _, err := r.Check(token, origin); err != nil {
		t.Errorf("said to have failed, yet the token is dead: %v", err)
	}
	keep.fail = nil
	if err := try(t, r, code, origin); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A token is valid only from the Origin that paired. A program has no Origin.
func TestCheck(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	_, token := pair(t, r)
	c, program, err := r.Add(t.Context(), " home\x1b[31m cinema ")
	if err != nil || !c.Program() || c.Label != "home[31m cinema" {
		t.Fatalf("added %+v, %v", c, err)
	}
	r = open(t, keep)
	for _, tc := range []struct {
		name, token, origin string
		want                error
	}{
		{"right", token, origin, nil},
		{"program", program, "", nil},
		{"no token", "", origin, pairing.ErrWrongToken},
		{"wrong token", token[1:] + "A", origin, pairing.ErrWrongToken},
		{"other case", strings.ToLower(token), origin, pairing.ErrWrongToken},
		{"another extension", token, other, pairing.ErrWrongToken},
		{"no origin", token, "", pairing.ErrWrongToken},
		{"program's token from an extension", program, origin, pairing.ErrWrongToken},
	} {
		if got, err := r.Check(tc.token, tc.origin); !errors.Is(err, tc.want) || err == nil && got.Program() != (tc.origin == "") {
			t.Errorf("%s: %+v, %v, want %v", tc.name, got, err, tc.want)
		}
	}
	if _, _, err := r.Add(t.Context(), " \x00\t "); !errors.Is(err, pairing.ErrNoLabel) {
		t.Errorf("a program without a name: %v", err)
	}
	if err := try(t, r, r.NewCode().Text, ""); !errors.Is(err, pairing.ErrNoOrigin) {
		t.Errorf("a browser without an origin: %v", err)
	}
}

func TestProof(t *testing.T) {
	r := open(t, &shelf{})
	id, token := pair(t, r)
	key := sha256.Sum256([]byte(token))
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("nonce"))
	want := hex.EncodeToString(mac.Sum(nil))
	if got, ok := r.Proof(id, origin, "nonce"); !ok || got != want || pairing.ProofFor(token, "nonce") != want {
		t.Errorf("Proof = %q, %v; want %q", got, ok, want)
	}
	if got, _ := r.Proof(id, origin, "another"); got == want {
		t.Error("another nonce has the same proof")
	}
	if _, ok := r.Proof(id, other, "nonce"); ok {
		t.Error("proved to another origin")
	}
	if _, ok := r.Proof("0000", origin, "nonce"); ok {
		t.Error("proved for a client that is not known")
	}
}

func TestRevoke(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	id, token := pair(t, r)
	second, secondToken := pair(t, r)
	gone := r.Revoked(id)
	if gone.Err() != nil {
		t.Fatal("revoked before its time")
	}
	if err := r.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-gone.Done()
	<-r.Revoked(id).Done() // ended for those who come late
	if _, err := r.Check(token, origin); !errors.Is(err, pairing.ErrWrongToken) {
		t.Errorf("token after revocation: %v", err)
	}
	if _, err := r.Check(secondToken, origin); err != nil {
		t.Errorf("the other client: %v", err)
	}
	if list := open(t, keep).List(); len(list) != 1 || list[0].ID != second {
		t.Errorf("kept: %+v", list)
	}
	if err := r.Revoke(t.Context(), id); !errors.Is(err, pairing.ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
}

// When a client was last seen goes to disk once a minute, and never brings a client
// back that is being revoked.
func TestSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keep := &shelf{}
		r := open(t, keep)
		id, _ := pair(t, r)
		for range 10 * 60 { // ten minutes, a message each second
			<-time.After(time.Second)
			if err := r.Seen(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		if keep.saves != 11 { // pairing, and one a minute
			t.Errorf("%d saves", keep.saves)
		}
		if got := r.List()[0].LastSeen; !got.Equal(time.Now()) {
			t.Errorf("last seen %v, now %v", got, time.Now())
		}
		<-time.After(2 * time.Minute)
		keep.gate = make(chan struct{})
		var both sync.WaitGroup
		both.Go(func() {
			if err := r.Revoke(t.Context(), id); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait() // it is on its way to the disk
		both.Go(func() {
			if err := r.Seen(t.Context(), id); !errors.Is(err, pairing.ErrNotFound) {
				t.Errorf("seen: %v", err)
			}
		})
		close(keep.gate)
		both.Wait()
		if len(keep.records) != 0 {
			t.Error("the record is back")
		}
	})
}

// Texts of a client can be printed on a terminal, and so can what is said of others.
func TestLabelsArePrintable(t *testing.T) {
	r := open(t, &shelf{})
	label := " \x1b[31mred\x1b[0m\u202e\n" + strings.Repeat("x", 200)
	if _, _, err := r.Pair(t.Context(), r.NewCode().Text, label, origin, "fire\x00fox"); err != nil {
		t.Fatal(err)
	}
	got := r.List()[0]
	if want := "[31mred[0m" + strings.Repeat("x", 70); got.Label != want || got.Browser != "firefox" {
		t.Errorf("label %q, browser %q", got.Label, got.Browser)
	}
}

func TestNewRefusesDamagedRecords(t *testing.T) {
	for name, record := range map[string]string{
		"not JSON": "x",
		"no hash":  `{"label":"x"}`,
	} {
		keep := &shelf{records: map[string][]byte{"ab": []byte(record)}}
		if _, err := pairing.New(t.Context(), keep); err == nil || !strings.Contains(err.Error(), "ab") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pairing.New(t.Context(), &shelf{fail: errors.New("gone")}); err == nil {
		t.Error("a store that fails to load was accepted")
	}
}
