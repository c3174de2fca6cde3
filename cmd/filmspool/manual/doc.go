// Package manual writes what packages put beside the program: man pages and the
// completions of shells.
//
// It owns the page of the program itself. It promises that the same source makes
// the same pages. Only a program built with the tag "manual" can write them, so
// that nobody else carries what that takes.
package manual
