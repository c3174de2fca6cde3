// Package schema is the shape of the outbox's tables.
//
// It owns the scripts that make the tables, and the pieces of SQL that must agree
// with them word for word. It says how times and JSON lie in columns, too.
//
// It promises that a script never changes once it is released. It refuses to read
// or write a row: packages queue, entry and upkeep do.
package schema
