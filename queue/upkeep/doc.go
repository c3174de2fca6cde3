// Package upkeep keeps the tables of the outbox in order. It forgets what was
// finished a year ago, and mends what could be saved of a damaged database.
//
// It promises to forget nothing that a person has not dealt with. After a
// salvage, nothing leaves that may have left before, and no row that may be
// wrong.
//
// It refuses to find the rows of a damaged file: package disk does. Package queue
// makes entries anew.
package upkeep
