// Package schema holds the script that makes the outbox's tables, the pieces of SQL
// that must agree with it word for word, and how times and JSON lie in columns.
package schema
