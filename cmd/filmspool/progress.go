package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
)

// lineCount counts the lines that pass. It may be read while they do.
type lineCount struct {
	done  atomic.Int64
	total int64 // 0 when nobody knows
}

// pass counts the lines of a text.
func (c *lineCount) pass(text []byte) { c.done.Add(int64(bytes.Count(text, []byte("\n")))) }

// String is how far it is: "12,000 of 100,000 lines, 12 %."
func (c *lineCount) String() string {
	done := c.done.Load()
	if c.total == 0 {
		return grouped(done) + " lines."
	}
	return fmt.Sprintf("%s of %s lines, %d %%.", grouped(done), grouped(c.total), 100*done/c.total)
}

// countingReader counts the lines that are read.
type countingReader struct {
	io.Reader
	lines *lineCount
}

// Read implements [io.Reader].
func (r countingReader) Read(into []byte) (int, error) {
	n, err := r.Reader.Read(into)
	r.lines.pass(into[:n])
	return n, err
}

// countingWriter counts the lines that are written.
type countingWriter struct {
	io.Writer
	lines *lineCount
}

// Write implements [io.Writer].
func (w countingWriter) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(text)
	w.lines.pass(text[:n])
	return n, err
}

// linesOf counts the lines of a file, and goes back to its beginning; 0 for
// what cannot be read twice, such as a pipe.
func linesOf(f *os.File) (int64, error) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	var all lineCount
	if _, err := io.Copy(io.Discard, countingReader{f, &all}); err != nil {
		return 0, err
	}
	_, err := f.Seek(0, io.SeekStart)
	return all.done.Load(), err
}

// grouped is a number with a comma before every three digits.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// fileFault is what is wrong with a file that a person named, in a person's
// words; doing is such as "read".
func fileFault(doing, name string, err error) error {
	info, statErr := os.Stat(name)
	switch {
	case statErr == nil && info.IsDir(), errors.Is(err, syscall.EISDIR), os.IsPathSeparator((name + "x")[max(len(name)-1, 0)]):
		return &exitError{code: exitFailed, message: fmt.Sprintf("cannot %s %q: it is a folder", doing, name), hint: "name a file"}
	case errors.Is(err, os.ErrExist):
		return &exitError{code: exitFailed, message: fmt.Sprintf("%q exists already", name), hint: "give another name: nothing is overwritten"}
	case errors.Is(err, os.ErrNotExist) && doing == "read":
		return &exitError{code: exitFailed, message: fmt.Sprintf("there is no file %q", name), hint: "look at the name, and at the folder you are in"}
	case errors.Is(err, os.ErrNotExist):
		return &exitError{code: exitFailed, message: fmt.Sprintf("cannot %s %q: there is no such folder", doing, name), hint: "make the folder first"}
	case errors.Is(err, os.ErrPermission):
		return &exitError{code: exitFailed, message: fmt.Sprintf("you may not %s %q", doing, name), hint: "take another place, or another user"}
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err // the name is told already
	}
	return fmt.Errorf("cannot %s %q: %w", doing, name, err)
}
