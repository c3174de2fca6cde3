//go:build !unix

package plainfile

// noWait is nothing here: pipes have names of their own kind on this system.
const noWait = 0
