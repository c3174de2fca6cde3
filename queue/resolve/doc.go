// Package resolve decides what a service is asked about an item that has no
// identifier, and which of its answers is taken for certain.
//
// It owns that rule, and how often is asked. It promises to be pure, and that
// only this is taken: what the service says of an IMDb identifier, when its
// type is the item's and it does not doubt it itself; and what it says of a
// title, when type, title and year are the item's own, it is highly confident,
// and it knows no other of that title in the years beside. An episode is known by its series, season and number, never by an
// identifier of its own that somebody would have to guess.
//
//	asked by  type    confidence      title   year          source  becomes
//	IMDb id   equal   high or untold  –       –             sound   certain
//	title     equal   high            equal*  equal**       sound   certain***
//	all else, and what a source that is itself unsure tells         a suggestion
//
// *   but for case, punctuation and spaces
// **  a year that either side does not tell is not equal
// *** unless the service knows another of that title at most a year away
//
// An IMDb identifier is not certain either where the service tells another
// title and a year more than one off.
//
// That a series is certain does not show that it has this season and number. No
// endpoint that is documented lists the episodes of a series: media/resolve
// takes films and series, and what media/status leaves out may only be unwatched.
// So season and number go to the service as the source tells them, and the
// service refuses what it does not know.
//
// It refuses to ask, to keep anything, and to guess: a suggestion is for a
// person to judge.
package resolve
