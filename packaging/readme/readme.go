// Package readme reads what a page of Markdown, or any other text, tells its
// reader to type, so that tests can try it.
//
// It owns how commands, settings and links are found in a text. It promises to pass
// over nothing that looks like a command. That is every line of a block of shell, and
// every span of code that begins as a program is called and goes on. Its caller says
// which of them is no command after all.
//
// It refuses to run anything, and to know which commands there are.
package readme

import "strings"

// Command is a line that a reader may type.
type Command struct {
	Line    int    // counted from 1
	Section string // the heading above it
	Text    string // without a comment behind it
	Block   bool   // it stands in a block of shell, and not in a sentence
}

// Block is a fenced block of code.
type Block struct {
	Line     int // of its first line of text, counted from 1
	Language string
	Text     string // without the indentation of the fence
}

// Link is what a page points to.
type Link struct {
	Line   int // counted from 1
	Target string
}

// Paragraph is running text: neither a heading, a row of a table nor a block of
// code. Each item of a list is one.
type Paragraph struct {
	Line int // of its first line, counted from 1
	Text string
}

// line is one line of a page.
type line struct {
	number   int
	section  string
	fence    bool   // it opens or closes a block
	language string // of the block that it opens, or stands in
	block    bool   // it stands in one
	text     string // without the indentation of its block
}

// lines reads a page. A fence opens and closes a block, however far it is
// indented.
func lines(page string) (read []line) {
	var now line
	indent := ""
	for text := range strings.Lines(page) {
		text = strings.TrimRight(text, "\r\n")
		now.number++
		now.text = text
		mark := strings.TrimSpace(text)
		now.fence = strings.HasPrefix(mark, "```")
		switch {
		case now.fence && !now.block:
			indent, _, _ = strings.Cut(text, "```")
			now.language = strings.TrimPrefix(mark, "```")
			read = append(read, now)
			now.block = true
			continue
		case now.fence:
			now.block, now.language = false, ""
		case now.block:
			now.text = strings.TrimPrefix(text, indent)
		case strings.HasPrefix(text, "#"):
			now.section = strings.TrimSpace(strings.TrimLeft(text, "#"))
		}
		read = append(read, now)
	}
	return read
}

// Blocks are the fenced blocks of a page in one language.
func Blocks(page, language string) (found []Block) {
	for _, l := range lines(page) {
		switch {
		case l.language != language:
		case l.fence:
			found = append(found, Block{Line: l.number + 1, Language: language})
		case l.block:
			found[len(found)-1].Text += l.text + "\n"
		}
	}
	return found
}

// Paragraphs are the running texts of a page, in its order.
func Paragraphs(page string) (found []Paragraph) {
	open := false
	for _, l := range lines(page) {
		text := strings.TrimSpace(l.text)
		if l.fence || l.block || text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "|") {
			open = false
			continue
		}
		item, isItem := listItem(text)
		if !open || isItem {
			found = append(found, Paragraph{Line: l.number})
			open = true
		}
		last := &found[len(found)-1]
		last.Text = strings.TrimSpace(last.Text + " " + item)
	}
	return found
}

// listItem takes the mark of a list from the begin of a line.
func listItem(text string) (rest string, ok bool) {
	mark, rest, ok := strings.Cut(text, " ")
	if ok && (mark == "-" || mark != "." && strings.TrimLeft(mark, "0123456789") == ".") {
		return rest, true
	}
	return text, false
}

// Commands are all that a page tells its reader to type: the lines of its
// blocks of shell, and the spans of code in its sentences and tables that are
// two words or more and begin as programs are called.
func Commands(page string) (found []Command) {
	for _, l := range lines(page) {
		add := func(text string) {
			found = append(found, Command{Line: l.number, Section: l.section, Text: text, Block: l.block})
		}
		switch {
		case l.fence:
		case l.block && l.language == "sh":
			if text := withoutComment(l.text); text != "" {
				add(text)
			}
		case !l.block:
			for _, span := range Spans(l.text) {
				if typed(span) {
					add(span)
				}
			}
		}
	}
	return found
}

// withoutComment drops what the shell does not read.
func withoutComment(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "#") {
		return ""
	}
	text, _, _ = strings.Cut(text, " #")
	return strings.TrimSpace(text)
}

// Spans are the spans of code in one line of a sentence or a table, where a
// "|" is written with a backslash before it. A line with an odd number of
// marks has a span that never ends, which is given back with its mark.
func Spans(text string) (found []string) {
	for {
		_, rest, ok := strings.Cut(text, "`")
		if !ok {
			return found
		}
		span, after, ok := strings.Cut(rest, "`")
		if !ok {
			return append(found, "`"+rest)
		}
		found = append(found, strings.ReplaceAll(span, `\|`, "|"))
		text = after
	}
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// typed reports whether a span looks like a command: a lower-case name, and
// something behind it that is no assignment.
func typed(span string) bool {
	name, rest, more := strings.Cut(span, " ")
	if !more || name == "" || rest == "" || strings.HasPrefix(strings.TrimSpace(rest), "=") {
		return false
	}
	return name == "." || strings.ContainsRune(letters, rune(name[0])) && strings.Trim(name, letters+"0123456789._-+") == ""
}

// Links are the targets of a page's links, in its order.
func Links(page string) (found []Link) {
	for _, l := range lines(page) {
		if l.block || l.fence {
			continue
		}
		rest := l.text
		for {
			_, after, ok := strings.Cut(rest, "](")
			if !ok {
				break
			}
			target, behind, ok := strings.Cut(after, ")")
			if !ok {
				break
			}
			found = append(found, Link{Line: l.number, Target: target})
			rest = behind
		}
	}
	return found
}

// Anchors are the names by which links reach a page's headings, as GitHub
// makes them.
func Anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, l := range lines(page) {
		if l.block || l.fence || !strings.HasPrefix(l.text, "#") {
			continue
		}
		var name strings.Builder
		for _, r := range strings.ToLower(l.section) {
			switch {
			case r == ' ':
				name.WriteRune('-')
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
				name.WriteRune(r)
			}
		}
		found[name.String()] = true
	}
	return found
}
