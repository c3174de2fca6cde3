package terminal

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// IsTerminal reports whether a stream is a terminal, with a person at it.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Agreed asks a person at a terminal for a yes.
func (o *Printer) Agreed(ctx context.Context, stdin io.Reader, question string) bool {
	answer := strings.ToLower(o.Ask(ctx, stdin, o.Speech().Say("cli.yesNo", "question", question)))
	return answer == "y" || answer == "yes" || answer == "j" || answer == "ja"
}

// Ask asks a person at a terminal for a line. It is "" when ctx ends: the read
// itself cannot be called off, and ends with the process.
func (o *Printer) Ask(ctx context.Context, stdin io.Reader, question string) string {
	o.Printf("%s ", question)
	read := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdin).ReadString('\n') // an end is no answer
		read <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		o.Println()
		return ""
	case line := <-read:
		return line
	}
}

// Hidden asks for a line that the terminal does not show. An empty answer is "".
// When ctx ends the terminal is as it was before, and the answer is empty, too:
// the read itself cannot be called off, and ends with the process.
func (o *Printer) Hidden(ctx context.Context, terminal *os.File, prompt string) (string, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	type line struct {
		text []byte
		err  error
	}
	read := make(chan line, 1)
	o.Printf("%s", prompt)
	go func() {
		text, err := term.ReadPassword(fd)
		read <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		err = term.Restore(fd, before)
		o.Println()
		return "", err
	case l := <-read:
		o.Println()
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", l.err
		}
		return strings.TrimSpace(string(l.text)), nil
	}
}
