// Package export writes the queue as JSON lines: one line for each event, with
// what became of it.
package export
