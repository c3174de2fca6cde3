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

// Asking reports whether [Printer.Ask] waits for an answer.
func (o *Printer) Asking() bool { return o.asking.Load() }

// Ask asks a person at a terminal for a line. It is "" when ctx ends.
func (o *Printer) Ask(ctx context.Context, stdin io.Reader, question string) string {
	o.asking.Store(true)
	defer o.asking.Store(false)
	o.Printf("%s ", question)
	line, _ := await(ctx, func() (string, error) { return bufio.NewReader(stdin).ReadString('\n') }) // an end is no answer
	if ctx.Err() != nil {
		o.Println()
	}
	return line
}

// Hidden asks for a line that the terminal does not show. An empty answer is "". When ctx
// ends the terminal is as it was before, and the answer is empty, too.
func (o *Printer) Hidden(ctx context.Context, terminal *os.File, prompt string) (string, error) {
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

// await reads a line, without the blanks around it. It is "" when ctx ends: the read itself
// cannot be called off, and ends with the process.
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
