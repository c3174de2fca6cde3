package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/kodi/kodisim"
)

// TestSetupAtATerminal: a person answers, or skips by Enter. A key that is no good is
// asked for again, and none is shown.
func TestSetupAtATerminal(t *testing.T) {
	h := newHousehold(t)
	box := h.start("sandbox", "--listen", "127.0.0.1:0", "--state-dir", filepath.Join(t.TempDir(), "box"), "--secret-key", secretKey)
	sim := h.pastOf(2)
	if err := sim.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := kodisim.Create(filepath.Join(h.dir, ".kodi", "userdata"), 131)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	h.env = append(h.env, "HOME="+h.dir)
	h.start("run")
	s := atTerminal(t, h.dir, "setup")
	answer := func(question, text string) {
		t.Helper()
		s.until(question)
		if strings.Contains(question, "not shown") {
			s.hidden()
		}
		if _, err := s.ours.WriteString(text + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	answer("1 of 5: your account. Until Filmspool has a key, nothing leaves this machine.\nAddress of your tracking service (Enter skips): ", "http://"+box.address)
	answer("Secret key (sk_…) for http://"+box.address+"/api/v1, not shown: ", "sk_wrongwrong")
	s.until("error: The service does not accept the key")
	answer("filmspool login --base-url http://"+box.address+"/api/v1\nAddress of your tracking service (Enter skips): ", "http://"+box.address)
	answer("http://"+box.address+"\nSecret key (sk_…) for http://"+box.address+"/api/v1, not shown: ", secretKey)
	s.until("The key is good")
	s.until("2 of 5: your browser.")
	answer("Show a code for it? [y/N] ", "y")
	s.until("within 120 seconds")
	if !regexp.MustCompile(`(?m)^[A-Z0-9]{8}$`).MatchString(s.text()) {
		t.Errorf("no code:\n%s", s.text())
	}
	s.until("3 of 5: where you watch.")
	answer("Watch "+filepath.Join(h.dir, ".kodi", "userdata")+"? [y/N]", "y")
	s.until("5 of 5: what you watched in Kodi before.")
	s.until("to send: 2 films")
	answer("Import 2 viewings? [y/N]", "y")
	s.until("That is all.")
	s.ends(exitDone)
	if strings.Contains(s.text(), secretKey) || strings.Contains(s.text(), "wrongwrong") {
		t.Errorf("a key was shown:\n%s", s.text())
	}
	h.delivered(2)
	if said := h.do("", "kodi", "libraries"); strings.Count(said, "  watched\n") != 2 {
		t.Errorf("the libraries: %s", said)
	}
}
