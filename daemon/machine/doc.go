// Package machine looks at this machine: how much room a disk has left, and who may
// do what with a folder.
//
// It owns what differs between systems in that. It promises to change nothing, and to
// take no time worth speaking of. It refuses to judge what it sees.
package machine
