// Package entry has the types in which people and programs are told of the outbox:
// an entry, what happened to it, and how entries are selected and changed. Package
// queue reads and changes them; package daemon/locale renders their steps.
package entry
