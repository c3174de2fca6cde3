package readme

import "strings"

// Mention is a command of ours in the middle of a text, such as a hint.
type Mention struct {
	Line  int      // counted from 1
	Words []string // what follows the program's name, without the marks of the sentence
}

// String is the command as somebody would type it.
func (m Mention) String() string { return "filmspool " + strings.Join(m.Words, " ") }

// name is what the program is called in small letters; in a sentence about
// it, it is Filmspool.
const name = "filmspool"

// Mentions finds where a text names a command of the program: its name in
// small letters, and behind it a word in small letters or a flag. Which words
// of the sentence belong to the command, its caller has to know; it ends with
// the sentence, the line, or the next command.
func Mentions(text string) (found []Mention) {
	number := 0
	for row := range strings.Lines(text) {
		number++
		rest := row
		for {
			before, after, ok := strings.Cut(rest, name)
			if !ok {
				break
			}
			if free(before) {
				if words := words(after); len(words) > 0 {
					found = append(found, Mention{Line: number, Words: words})
				}
			}
			rest = after
		}
	}
	return found
}

// free reports whether the name begins a word or ends the path of a program,
// and is not what another command is about, such as a service or a group.
func free(before string) bool {
	if strings.HasSuffix(before, "/") || strings.HasSuffix(before, `\`) {
		return strings.HasSuffix(before, "bin/") || strings.HasSuffix(before, `INSTDIR\`)
	}
	if before != "" && strings.ContainsRune(letters+"_-.", rune(before[len(before)-1]|0x20)) {
		return false
	}
	last := before[strings.LastIndexByte(strings.TrimRight(before, " "), ' ')+1:]
	switch strings.TrimSpace(last) {
	case "group", "--name", "rc-service", "--ifstarted", "add", "delete", "restart", "-G", "-g", "g":
		return false
	}
	return true
}

// words are those of one command.
func words(after string) (found []string) {
	if quoted, ok := strings.CutPrefix(after, `.exe"`); ok {
		after = quoted
	}
	if len(after) < 2 || after[0] != ' ' || !strings.ContainsRune(letters+"-", rune(after[1])) {
		return nil
	}
	for word := range strings.FieldsSeq(after) {
		if word == name || strings.ContainsAny(word[:1], "&|;<>(#—–\\") {
			return found
		}
		bare := strings.TrimRight(word, ".,;:)}'\"`<&|\\")
		bare, _, cut := strings.Cut(bare, `\n`)
		if bare != "" {
			found = append(found, bare)
		}
		if cut || len(bare) < len(word) {
			return found
		}
	}
	return found
}
