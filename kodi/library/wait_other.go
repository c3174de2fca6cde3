//go:build !unix

package library

// noWait is nothing here: pipes have names of their own kind on this system.
const noWait = 0
