// Package export is the form in which a queue is carried elsewhere: one JSON
// document a line, for each event with what became of it.
//
// It owns the form, and what a line must be to be read. It promises that a line is
// taken whole or refused, and that a line of any length costs bounded memory.
//
// It refuses to touch a database: package queue gives the records and takes the
// lines.
package export
