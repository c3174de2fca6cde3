package service

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmspool/filmspool/packaging"
)

// unitText fills the placeholders of a systemd unit.
func unitText(text, executable string, args []string) (string, error) {
	for _, word := range append([]string{executable}, args...) {
		if err := checkWord(word); err != nil {
			return "", err
		}
	}
	words := []string{unitWord(executable, false)}
	for _, arg := range args {
		words = append(words, unitWord(arg, true))
	}
	paths := unitWord(executable, false)
	if real, err := filepath.EvalSymlinks(executable); err == nil && real != executable {
		paths += " " + unitWord(real, false)
	}
	state := packaging.UsualState
	if named := stateDir(args); named != "" {
		state = unitWord(named, false)
	}
	return packaging.Fill(text, packaging.Command, strings.Join(words, " "), packaging.Executable, paths, packaging.State, state), nil
}

// stateDir is the state folder that a command line names, or empty.
func stateDir(args []string) string {
	i := slices.Index(args, "--state-dir")
	if i < 0 || i+1 == len(args) {
		return ""
	}
	return args[i+1]
}

// plistText fills the placeholders of a launchd property list.
func plistText(text, executable string, args []string, log string) (string, error) {
	var list []string
	for _, word := range append([]string{executable}, args...) {
		if err := checkWord(word); err != nil {
			return "", err
		}
		list = append(list, "\t\t<string>"+xmlText(word)+"</string>")
	}
	return packaging.Fill(text, packaging.Arguments, strings.Join(list, "\n"), packaging.Log, xmlText(log)), nil
}

// checkWord refuses what no unit can say: a line break would begin a new
// directive.
func checkWord(word string) error {
	if !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsControl) {
		return fmt.Errorf("%q cannot stand in a service file", word)
	}
	return nil
}

// unitWord quotes one word of a systemd command line (systemd.service(5),
// "Command lines"): "%" begins a specifier everywhere, "$" a variable in
// arguments only.
func unitWord(word string, argument bool) string {
	pairs := []string{`\`, `\\`, `"`, `\"`, `%`, `%%`}
	if argument {
		pairs = append(pairs, `$`, `$$`)
	}
	escaped := strings.NewReplacer(pairs...).Replace(word)
	if word == "" || strings.ContainsAny(word, " \"'\\;#") {
		return `"` + escaped + `"`
	}
	return escaped
}

func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}

// shellWord quotes one word for a shell.
func shellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " '\"\\$`&;()<>|*?[]#~!{}") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
