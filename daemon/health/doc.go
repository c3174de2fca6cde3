// Package health finds the problems of an instance and their remedies. One table lists all
// problems; their conditions are checked in the status and in what other parts report. The
// package also checks the machine around an instance, renders summaries and writes the report for
// helpers.
package health
