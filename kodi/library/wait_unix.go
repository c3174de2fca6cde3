//go:build unix

package library

import "syscall"

// noWait has an open return at once, where a pipe would wait for a writer.
const noWait = syscall.O_NONBLOCK
