package notify

import (
	"strings"
	"unicode"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/daemon/locale"
)

// Notice is what is told at once.
type Notice struct {
	Title string
	// Text has a line for each problem. It has neither control characters nor what
	// turns the direction of writing.
	Text     string
	Codes    []string         // of the problems, the worst first
	Severity control.Severity // of the worst
}

// The bounds of a notice.
const (
	maxLines = 5
	maxLine  = 300 // letters
)

// Test is a notice that says that it is a test.
func Test(s locale.Speech) Notice {
	return Notice{Title: "Filmspool", Text: s.Say("notify.test"), Codes: []string{"test"}, Severity: control.Note}
}

// compose makes one notice of problems, the worst first.
func compose(s locale.Speech, problems []control.Problem) Notice {
	n := Notice{Title: "Filmspool", Severity: problems[0].Severity}
	var lines []string
	for i, p := range problems {
		n.Codes = append(n.Codes, p.Code)
		if i < maxLines {
			lines = append(lines, line(p))
		}
	}
	if more := len(problems) - maxLines; more > 0 {
		lines = append(lines, s.Say("notify.more", "n", more))
	}
	n.Text = strings.Join(lines, "\n")
	return n
}

// line is one problem with the act that mends it.
func line(p control.Problem) string {
	text := p.Text + " " + p.Act.Text
	if c := p.Act.Command; c != nil && !strings.Contains(text, *c) {
		text = strings.TrimSuffix(text, ".") + ": " + *c
	}
	letters := []rune(strings.Join(strings.Fields(strings.Map(printed, text)), " "))
	if len(letters) > maxLine {
		letters = append(letters[:maxLine-1], '…')
	}
	return string(letters)
}

// printed is a letter, or a space in the place of what no screen should obey.
func printed(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return ' '
}
