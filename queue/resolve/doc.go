// Package resolve decides what a service is asked about an item that has no
// identifier, and which of its answers is taken for certain.
//
// It owns that rule, and how often is asked. It promises to be pure, and that
// only this is taken: what the service says of an IMDb identifier, when its
// type is the item's and it does not doubt it itself; and what it says of a
// title, when type, title and year are the item's own and it is highly
// confident. An episode is known by its series, season and number, never by an
// identifier of its own that somebody would have to guess.
//
//	asked by  type    confidence      title   year          source  becomes
//	IMDb id   equal   high or untold  –       –             sound   certain
//	title     equal   high            equal*  at most 1 off sound   certain
//	all else, and what a source that is itself unsure tells         a suggestion
//
// * but for case, punctuation and spaces. A year that either side does
// not tell is not equal.
//
// It refuses to ask, to keep anything, and to guess: a suggestion is for a
// person to judge.
package resolve
