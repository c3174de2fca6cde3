package service

import (
	"fmt"
	"strings"
)

// initScript puts a program and its arguments into one of packaging's scripts
// for init, which name those of a package. The shell reads both lines twice.
func initScript(text, executable string, args []string) (string, error) {
	for _, word := range append([]string{executable}, args...) {
		if err := checkWord(word); err != nil {
			return "", err
		}
	}
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = shellWord(arg)
	}
	for line, value := range map[string]string{
		`command="/usr/bin/filmspool"`: "command=" + doubleQuoted(shellWord(executable)),
		`command_args="run --system"`:  "command_args=" + doubleQuoted(strings.Join(words, " ")),
	} {
		if strings.Count(text, line+"\n") != 1 {
			return "", fmt.Errorf("the script has no line %s", line)
		}
		text = strings.Replace(text, line+"\n", value+"\n", 1)
	}
	return text, nil
}

// shellWord quotes one word for a shell.
func shellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " '\"\\$`&;()<>|*?[]#~!{}") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

func doubleQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
}
