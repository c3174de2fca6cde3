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
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
)

const origin = "chrome-extension://emdhmgjgiheohhdbjhklpnhngnafihdg"

// shelf is a Keep in memory.
type shelf struct {
	mu      sync.Mutex
	records map[string][]byte
	saves   int
	fail    error
}

func (s *shelf) Load(context.Context) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.records), s.fail
}

func (s *shelf) Save(_ context.Context, id string, record []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.saves++
	if s.records == nil {
		s.records = map[string][]byte{}
	}
	if record == nil {
		delete(s.records, id)
		return nil
	}
	s.records[id] = bytes.Clone(record)
	return nil
}

func open(t *testing.T, keep pairing.Keep) *pairing.Registry {
	t.Helper()
	r, err := pairing.New(t.Context(), keep)
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

func TestCodeForm(t *testing.T) {
	r := open(t, &shelf{})
	seen := map[string]bool{}
	for range 200 {
		code := r.NewCode().Text
		if len(code) != 8 || strings.Trim(code, "23456789ABCDEFGHJKLMNPQRSTUVWXYZ") != "" {
			t.Fatalf("code %q", code)
		}
		seen[code] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d codes of 200 differ", len(seen))
	}
}

func TestPairGivesATokenOnce(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	code := r.NewCode().Text
	id, token, err := r.Pair(t.Context(), code, "desk", origin, "chromium")
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) != 32 {
		t.Errorf("token %q is not 32 bytes in base64url (%v)", token, err)
	}
	if _, _, err := r.Pair(t.Context(), code, "again", origin, ""); !errors.Is(err, pairing.ErrNoCode) {
		t.Errorf("second use: %v, want ErrNoCode", err)
	}
	if bytes.Contains(keep.records[id], []byte(token)) {
		t.Error("the token itself was kept")
	}
	client, err := open(t, keep).Check(token, origin) // as after a restart
	if err != nil || client.ID != id || client.Label != "desk" || client.Browser != "chromium" || client.Origin != origin {
		t.Errorf("after a restart: %+v, %v", client, err)
	}
}

func TestTypedCodesAreForgiven(t *testing.T) {
	forms := map[string]func(code string) string{
		"lower case":  strings.ToLower,
		"with dash":   func(c string) string { return c[:4] + "-" + c[4:] },
		"en dash":     func(c string) string { return c[:4] + " – " + c[4:] },
		"with spaces": func(c string) string { return " " + strings.Join(strings.Split(c, ""), " ") + "\t\n" },
	}
	for name, form := range forms {
		r := open(t, &shelf{})
		if _, _, err := r.Pair(t.Context(), form(r.NewCode().Text), "", origin, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFiveWrongTriesAreAnOriginsOwn(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	for i := range 200 { // an extension that never stops
		want := pairing.ErrWrongCode
		if i >= 5 {
			want = pairing.ErrTries
		}
		if _, _, err := r.Pair(t.Context(), "WRONG222", "", "moz-extension://a", ""); !errors.Is(err, want) {
			t.Fatalf("try %d: %v", i+1, err)
		}
	}
	if _, _, err := r.Pair(t.Context(), code, "", "moz-extension://a", ""); !errors.Is(err, pairing.ErrTries) {
		t.Errorf("right code at its sixth try: %v", err)
	}
	if others := r.TriesOfOthers(origin); len(others) != 1 || others[0] != (pairing.Tries{Origin: "moz-extension://a", Wrong: 201}) {
		t.Errorf("others: %v", others)
	}
	if _, _, err := r.Pair(t.Context(), code, "", origin, ""); err != nil {
		t.Errorf("the user: %v", err)
	}
	if tried := r.NewCode().Tried; len(tried) != 1 || tried[0].Wrong != 201 {
		t.Errorf("the next code tells of %v", tried)
	}
	if tried := r.NewCode().Tried; len(tried) != 0 {
		t.Errorf("the one after tells of %v", tried)
	}
}

func TestFiftyWrongTriesOfAllKillTheCode(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	for i := range 50 {
		if _, _, err := r.Pair(t.Context(), "WRONG222", "", fmt.Sprint("moz-extension://", i), ""); !errors.Is(err, pairing.ErrWrongCode) {
			t.Fatalf("try %d: %v", i+1, err)
		}
	}
	if _, _, err := r.Pair(t.Context(), code, "", origin, ""); !errors.Is(err, pairing.ErrNoCode) {
		t.Errorf("right code at try 51: %v, want ErrNoCode", err)
	}
	for i := range 1000 {
		_, _, _ = r.Pair(t.Context(), "WRONG222", "", fmt.Sprint("moz-extension://more", i), "")
	}
	tried := r.NewCode().Tried
	total := 0
	for _, o := range tried {
		total += o.Wrong
	}
	if len(tried) > 20 || total != 1051 {
		t.Errorf("%d tries of %d origins are told", total, len(tried))
	}
}

// A sentence about a stranger is fit for a terminal.
func TestTriesAreToldHarmlessly(t *testing.T) {
	for want, tries := range map[string]pairing.Tries{
		"Another extension has sent a wrong code: others":     {Wrong: 1},
		"Another extension has sent 7 wrong codes: moz-[2Jab": {Origin: "moz-\x1b[2Ja\u202e\nb", Wrong: 7},
	} {
		if got := tries.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFourWrongTriesLeaveTheCodeGood(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	for range 4 {
		_, _, _ = r.Pair(t.Context(), "WRONG222", "", origin, "")
	}
	if _, _, err := r.Pair(t.Context(), code, "", origin, ""); err != nil {
		t.Error(err)
	}
}

func TestANewCodeReplacesTheOld(t *testing.T) {
	r := open(t, &shelf{})
	old := r.NewCode().Text
	for range 4 {
		_, _, _ = r.Pair(t.Context(), "WRONG222", "", origin, "")
	}
	code := r.NewCode().Text
	if _, _, err := r.Pair(t.Context(), old, "", origin, ""); !errors.Is(err, pairing.ErrWrongCode) {
		t.Errorf("old code: %v", err)
	}
	if _, _, err := r.Pair(t.Context(), code, "", origin, ""); err != nil {
		t.Errorf("new code has its own tries: %v", err)
	}
}

func TestCodeExpires(t *testing.T) {
	tests := map[time.Duration]error{
		120*time.Second - time.Millisecond: nil,
		120 * time.Second:                  pairing.ErrNoCode,
	}
	for wait, want := range tests {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, &shelf{})
			code := r.NewCode()
			if got := time.Until(code.ExpiresAt); got != 120*time.Second {
				t.Errorf("expires in %v", got)
			}
			<-time.After(wait)
			if _, _, err := r.Pair(t.Context(), code.Text, "", origin, ""); !errors.Is(err, want) {
				t.Errorf("after %v: %v, want %v", wait, err, want)
			}
		})
	}
}

func TestOneCodeMakesOneClientHoweverManyTry(t *testing.T) {
	r := open(t, &shelf{})
	code := r.NewCode().Text
	var made sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if id, _, err := r.Pair(t.Context(), code, "", origin, ""); err == nil {
				made.Store(i, id)
			}
		})
	}
	all.Wait()
	if n := len(r.List()); n != 1 {
		t.Errorf("%d clients", n)
	}
}

func TestCodeSurvivesAFullDisk(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	code := r.NewCode().Text
	keep.fail = errors.New("disk full")
	if _, _, err := r.Pair(t.Context(), code, "", origin, ""); !errors.Is(err, keep.fail) {
		t.Fatalf("got %v", err)
	}
	keep.fail = nil
	if _, _, err := r.Pair(t.Context(), code, "", origin, ""); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

func TestCheck(t *testing.T) {
	r := open(t, &shelf{})
	_, token := pair(t, r)
	_, program, err := r.Add(t.Context(), "script")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, token, origin string
		want                error
	}{
		{"right", token, origin, nil},
		{"program", program, "", nil},
		{"no token", "", origin, pairing.ErrWrongToken},
		{"wrong token", token[1:] + "A", origin, pairing.ErrWrongToken},
		{"other case", strings.ToLower(token), origin, pairing.ErrWrongToken},
		{"padded", token + "=", origin, pairing.ErrWrongToken},
		{"another extension", token, "chrome-extension://ppppppppppppppppppppppppppppppph", pairing.ErrWrongOrigin},
		{"no origin", token, "", pairing.ErrWrongOrigin},
		{"trailing slash", token, origin + "/", pairing.ErrWrongOrigin},
		{"program's token from an extension", program, origin, pairing.ErrWrongOrigin},
	}
	for _, tc := range tests {
		if _, err := r.Check(tc.token, tc.origin); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
}

func TestAddedPrograms(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	c, token, err := r.Add(t.Context(), " home\x1b[31m cinema ")
	if err != nil || !c.Program() || c.Label != "home[31m cinema" || len(token) != 43 {
		t.Errorf("added %+v with a token of %d characters, %v", c, len(token), err)
	}
	if _, _, err := r.Add(t.Context(), " \x00\t "); !errors.Is(err, pairing.ErrNoLabel) {
		t.Errorf("without a name: %v", err)
	}
	pair(t, r)
	for _, k := range open(t, keep).List() {
		if k.Program() != (k.ID == c.ID) {
			t.Errorf("after a restart %+v is a program: %v", k, k.Program())
		}
	}
}

func TestPairWithoutOrigin(t *testing.T) {
	r := open(t, &shelf{})
	if _, _, err := r.Pair(t.Context(), r.NewCode().Text, "", "", ""); !errors.Is(err, pairing.ErrNoOrigin) {
		t.Errorf("got %v", err)
	}
}

func TestProof(t *testing.T) {
	r := open(t, &shelf{})
	id, token := pair(t, r)
	key := sha256.Sum256([]byte(token))
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("nonce-1"))
	want := hex.EncodeToString(mac.Sum(nil))
	if got, ok := r.Proof(id, origin, "nonce-1"); !ok || got != want {
		t.Errorf("Proof = %q, %v; want %q", got, ok, want)
	}
	if got := pairing.ProofFor(token, "nonce-1"); got != want {
		t.Errorf("ProofFor = %q, want %q", got, want)
	}
	if got, _ := r.Proof(id, origin, "nonce-2"); got == want {
		t.Error("another nonce has the same proof")
	}
	if _, ok := r.Proof(id, "moz-extension://other", "nonce-1"); ok {
		t.Error("proved to another origin")
	}
	if _, ok := r.Proof("0000", origin, "nonce-1"); ok {
		t.Error("proved for a client that is not known")
	}
}

func TestRevoke(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	id, token := pair(t, r)
	other, otherToken := pair(t, r)
	gone := r.Revoked(id)
	select {
	case <-gone:
		t.Fatal("revoked before its time")
	default:
	}
	if err := r.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-gone
	<-r.Revoked(id) // closed for those who come late
	if _, err := r.Check(token, origin); !errors.Is(err, pairing.ErrWrongToken) {
		t.Errorf("token after revocation: %v", err)
	}
	if _, err := r.Check(otherToken, origin); err != nil {
		t.Errorf("the other client: %v", err)
	}
	if list := open(t, keep).List(); len(list) != 1 || list[0].ID != other {
		t.Errorf("kept: %+v", list)
	}
	if err := r.Revoke(t.Context(), id); !errors.Is(err, pairing.ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
}

func TestRevokeThatCannotBeKeptChangesNothing(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	id, token := pair(t, r)
	keep.fail = errors.New("read-only")
	if err := r.Revoke(t.Context(), id); !errors.Is(err, keep.fail) {
		t.Fatalf("got %v", err)
	}
	if _, err := r.Check(token, origin); err != nil {
		t.Errorf("said to have failed, yet the token is dead: %v", err)
	}
}

func TestSeenGoesToDiskOnceAMinute(t *testing.T) {
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
	})
}

func TestSeenNeverBringsARevokedClientBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keep := &shelf{}
		r := open(t, keep)
		id, _ := pair(t, r)
		<-time.After(2 * time.Minute)
		if err := r.Revoke(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if err := r.Seen(t.Context(), id); !errors.Is(err, pairing.ErrNotFound) {
			t.Errorf("got %v", err)
		}
		if len(keep.records) != 0 {
			t.Error("the record is back")
		}
	})
}

// slowShelf lets one Save wait.
type slowShelf struct {
	*shelf
	entered, gate chan struct{}
}

func (s *slowShelf) Save(ctx context.Context, id string, record []byte) error {
	if record == nil {
		close(s.entered)
		<-s.gate
	}
	return s.shelf.Save(ctx, id, record)
}

// A sighting that waits behind the revocation finds the client gone.
func TestSeenWhileBeingRevoked(t *testing.T) {
	keep := &slowShelf{&shelf{}, make(chan struct{}), make(chan struct{})}
	var id string
	synctest.Test(t, func(t *testing.T) { // where it is the year 2000, so that a save is due now
		id, _ = pair(t, open(t, keep))
	})
	r := open(t, keep)
	var both sync.WaitGroup
	both.Go(func() {
		if err := r.Revoke(context.Background(), id); err != nil {
			t.Error(err)
		}
	})
	<-keep.entered
	both.Go(func() {
		if err := r.Seen(context.Background(), id); !errors.Is(err, pairing.ErrNotFound) {
			t.Errorf("seen: %v", err)
		}
	})
	for r.List()[0].LastSeen.Year() == 2000 {
		runtime.Gosched() // until Seen is on its way to the disk
	}
	close(keep.gate)
	both.Wait()
	if len(keep.records) != 0 {
		t.Error("the record is back")
	}
}

func TestLabelsAreFitForATerminal(t *testing.T) {
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

func TestListIsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, &shelf{})
		var want []string
		for range 5 {
			id, _ := pair(t, r)
			want = append(want, id)
			<-time.After(time.Second)
		}
		for i, client := range r.List() {
			if client.ID != want[i] {
				t.Fatalf("place %d: %s, want %s", i, client.ID, want[i])
			}
		}
	})
}

func TestNewRefusesWhatItCannotRead(t *testing.T) {
	for name, record := range map[string]string{
		"not JSON":      "x",
		"newer version": `{"v":2,"hash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}`,
		"no hash":       `{"v":1}`,
	} {
		keep := &shelf{records: map[string][]byte{"ab": []byte(record)}}
		if _, err := pairing.New(t.Context(), keep); err == nil || !strings.Contains(err.Error(), "ab") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pairing.New(t.Context(), &shelf{fail: errors.New("gone")}); err == nil {
		t.Error("a Keep that fails to load was accepted")
	}
}

// The unread sites are on disk once for each change, and go with the client.
func TestUnreadSitesAreKeptAndForgottenWithTheClient(t *testing.T) {
	keep := &shelf{}
	r := open(t, keep)
	id, _ := pair(t, r)
	before := keep.saves
	unread := func(sites ...string) {
		if err := r.SetUnread(t.Context(), id, sites); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		unread("Nordlicht", "\x1b\u202e", "Kino\x1b+")
	}
	if keep.saves != before+1 {
		t.Errorf("saved %d times", keep.saves-before)
	}
	if got := open(t, keep).List()[0]; !slices.Equal(got.Unread, []string{"Nordlicht", "Kino+"}) {
		t.Errorf("after a restart %+v", got)
	}
	unread()
	if got := open(t, keep).List()[0]; got.Unread != nil {
		t.Errorf("after it was read again %+v", got)
	}
	if err := r.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := r.SetUnread(t.Context(), id, nil); !errors.Is(err, pairing.ErrNotFound) || len(open(t, keep).List()) != 0 {
		t.Errorf("after it was revoked: %v", err)
	}
}
