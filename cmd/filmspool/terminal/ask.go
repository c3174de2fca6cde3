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

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Confirm asks a yes-or-no question.
func (o *Printer) Confirm(ctx context.Context, stdin io.Reader, question string) bool {
	answer := strings.ToLower(o.Ask(ctx, stdin, o.Speech().Say("cli.yesNo", "question", question)))
	return answer == "y" || answer == "yes" || answer == "j" || answer == "ja"
}

// IsAsking reports whether [Printer.Ask] is waiting for an answer.
func (o *Printer) IsAsking() bool { return o.asking.Load() }

// Ask asks for a line. It returns "" if ctx ends.
func (o *Printer) Ask(ctx context.Context, stdin io.Reader, question string) string {
	o.asking.Store(true)
	defer o.asking.Store(false)
	o.Printf("%s ", question)
	line, _ := await(ctx, func() (string, error) { return bufio.NewReader(stdin).ReadString('\n') }) // the end of the input counts as ""
	if ctx.Err() != nil {
		o.Println()
	}
	return line
}

// AskHidden asks for a line that the terminal does not show. If ctx ends, it restores the
// terminal and returns "".
func (o *Printer) AskHidden(ctx context.Context, terminal *os.File, prompt string) (string, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	o.Printf("%s", prompt)
	line, err := await(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		return string(text), err
	})
	o.Println()
	switch {
	case ctx.Err() != nil:
		return "", term.Restore(fd, before)
	case errors.Is(err, io.EOF):
		err = nil
	}
	return line, err
}

// await reads a line without surrounding spaces. It returns "" if ctx ends: the read cannot be
// cancelled and ends with the process.
func await(ctx context.Context, read func() (string, error)) (line string, err error) {
	done := make(chan struct{})
	var text string
	var failed error
	go func() {
		text, failed = read()
		close(done)
	}()
	select {
	case <-ctx.Done():
		return "", nil
	case <-done:
		return strings.TrimSpace(text), failed
	}
}
