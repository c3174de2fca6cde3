package service

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging"
)

func TestUnitTextFillsPlaceholders(t *testing.T) {
	for name, template := range map[string]string{"user": packaging.UserUnit, "system": packaging.SystemUnit} {
		text, err := unitText(template, "/opt/film spool/filmspool", []string{"run", "--config", "/etc/a b.toml"})
		if err != nil {
			t.Fatal(err)
		}
		want := `ExecStart="/opt/film spool/filmspool" run --config "/etc/a b.toml"` + "\n"
		if !strings.Contains(text, want) {
			t.Errorf("%s unit lacks %q", name, want)
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "#") && strings.Contains(line, "@COMMAND@") {
				t.Errorf("%s unit: a placeholder is left: %s", name, line)
			}
		}
	}
}

// The unit's own comments name the placeholders; they must survive.
func TestUnitTextLeavesCommentsAlone(t *testing.T) {
	text, err := unitText("# @COMMAND@ is replaced\nExecStart=@COMMAND@\n", "/bin/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "# @COMMAND@ is replaced\nExecStart=/bin/x\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestUnitWord(t *testing.T) {
	for _, c := range []struct{ word, asProgram, asArgument string }{
		{"/usr/bin/filmspool", "/usr/bin/filmspool", "/usr/bin/filmspool"},
		{"/a b", `"/a b"`, `"/a b"`},
		{"/100%", "/100%%", "/100%%"},
		{"/$HOME", "/$HOME", "/$$HOME"},
		{`/a"b`, `"/a\"b"`, `"/a\"b"`},
		{`/a\b`, `"/a\\b"`, `"/a\\b"`},
		{";", `";"`, `";"`},
		{"", `""`, `""`},
	} {
		if got := unitWord(c.word, false); got != c.asProgram {
			t.Errorf("program %q: got %s, want %s", c.word, got, c.asProgram)
		}
		if got := unitWord(c.word, true); got != c.asArgument {
			t.Errorf("argument %q: got %s, want %s", c.word, got, c.asArgument)
		}
	}
}

// A line break in an argument would be a directive of its own.
func TestUnitTextRefusesControlCharacters(t *testing.T) {
	for _, word := range []string{"/a\nExecStartPre=/bin/sh", "a\x00b", "\xff"} {
		if _, err := unitText(packaging.UserUnit, "/bin/x", []string{word}); err == nil {
			t.Errorf("unit: %q was taken", word)
		}
		if _, err := plistText(packaging.LaunchdPlist, word, nil, "/log"); err == nil {
			t.Errorf("plist: %q was taken", word)
		}
	}
}

// The sandbox allows programs by where they really are.
func TestUnitTextAllowsTheFileBehindALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here:", err)
	}
	text, err := unitText("ExecPaths=@EXECUTABLE@\n", link, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := filepath.EvalSymlinks(link)
	if err != nil {
		t.Fatal(err)
	}
	if want := "ExecPaths=" + link + " " + resolved + "\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

// Whatever the program is called, the list is XML, and each key of a dict has
// its value.
func TestPlistText(t *testing.T) {
	text, err := plistText(packaging.LaunchdPlist, "/Applications/R&D <1>/filmspool", []string{"run", `"a"`}, "/Users/me/log")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\t\t<string>/Applications/R&amp;D &lt;1&gt;/filmspool</string>\n\t\t<string>run</string>\n", "<string>/Users/me/log</string>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the property list lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "@") {
		t.Errorf("a placeholder is left:\n%s", text)
	}
	type node struct {
		XMLName xml.Name
		Nodes   []node `xml:",any"`
	}
	var list node
	if err := xml.Unmarshal([]byte(text), &list); err != nil || len(list.Nodes) != 1 {
		t.Fatalf("%v:\n%s", err, text)
	}
	for i, n := range list.Nodes[0].Nodes {
		if (n.XMLName.Local == "key") != (i%2 == 0) {
			t.Errorf("element %d is <%s>", i, n.XMLName.Local)
		}
	}
}
