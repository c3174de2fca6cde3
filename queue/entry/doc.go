// Package entry is an entry of the outbox: what it says, how its row is read, and
// how people are told of it.
//
// It owns the order of an entry's columns, and the questions about entries that
// change nothing: lists, counts, explanations and history.
//
// It promises that an explanation shows one moment, and that counts cost the same,
// however much waits.
//
// It refuses to change an entry: package queue does.
package entry
