package daemon_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/viewing"
)

// wordFaults: the states of entries and the reasons for which they are held are
// spelt in queue/viewing alone, the states of accounts in queue/account. Others
// use the constants, so that a word cannot be misspelt and each use of it can be
// found. Words that mean something else elsewhere are left out.
func wordFaults(r room) (found []string) {
	elsewhere := []string{
		"queue/viewing", "queue/account",
		"queue/tracker", "queue/replay/doubt", // fates of requests; settings
		"daemon/config", // settings
	}
	if slices.Contains(elsewhere, r.dir) {
		return nil
	}
	var words []string
	for _, s := range viewing.States() {
		words = append(words, string(s))
	}
	words = append(words, viewing.Reasons()...)
	for _, s := range []account.State{account.OK, account.Offline, account.Paused, account.Attention, account.NoKey} {
		words = append(words, string(s))
	}
	other := []string{"ok", "user", "filter", "bulk", "backdated", "review", "sending", "damaged", "restored", "imported"}
	words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(other, w) })
	for _, name := range r.shipped() {
		ast.Inspect(r.files[name], func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if word, err := strconv.Unquote(lit.Value); err == nil && slices.Contains(words, word) {
				found = append(found, fmt.Sprintf("%s: %q is spelt in queue/viewing or queue/account", r.set.Position(lit.Pos()), word))
			}
			return true
		})
	}
	return found
}

// TestWordsAreSpeltOnce holds that for the house.
func TestWordsAreSpeltOnce(t *testing.T) {
	rooms, _ := house(t)
	for _, r := range rooms {
		for _, fault := range wordFaults(r) {
			t.Error(fault)
		}
	}
	for word, name := range map[string]string{"in_doubt": "a state of an entry", "attention": "a state of an account"} {
		r, err := makeRoom("queue", map[string]string{"a.go": "package queue\n\nvar a = b(\"" + word + "\", \"other\")\n"})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, name+" as a literal", wordFaults(r), `"`+word+`" is spelt in`)
	}
}
