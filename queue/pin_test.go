package queue

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDriverHasItsOwnLibc: the driver is C code translated for one version of its libc; other
// versions have crashed on some machines. go.mod must require exactly this pair.
func TestDriverHasItsOwnLibc(t *testing.T) {
	const driver, libc = "v1.60.1", "v1.77.1"
	ours, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if got := required(t, string(ours), "modernc.org/sqlite"); got != driver {
		t.Errorf("go.mod asks for the driver %s, want %s: look up its libc and change both", got, driver)
	}
	if got := required(t, string(ours), "modernc.org/libc"); got != libc {
		t.Errorf("go.mod asks for libc %s, want %s", got, libc)
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "modernc.org/sqlite").Output()
	if err != nil {
		t.Fatalf("the driver's own go.mod cannot be found: %v", err)
	}
	its, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "go.mod"))
	if err != nil {
		t.Fatalf("the driver's own go.mod cannot be read: %v", err)
	}
	if got := required(t, string(its), "modernc.org/libc"); got != libc {
		t.Errorf("the driver asks for libc %s, go.mod for %s", got, libc)
	}
}

// required returns the version of a module that a go.mod requires.
func required(t *testing.T, text, module string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(module) + ` (\S+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("go.mod does not name %s", module)
	}
	return found[1]
}
