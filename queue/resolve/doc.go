// Package resolve decides what a service is asked about an item that has no
// identifier, and which of its answers is certain.
//
// It owns that rule, which questions go into one request, and how often to ask.
// It is pure. It refuses to ask, to keep anything, and to guess: what is not
// certain is a suggestion for a person.
//
// # What is certain
//
// What the service says of an IMDb identifier is certain when the types are equal
// and the service does not doubt it. What it says of a title is certain only when
// type, title and year are the item's own and the service is highly confident. It
// must know no other of that title a year before or after.
//
//	asked by  type    confidence      title   year          source  becomes
//	IMDb id   equal   high or untold  –       –             sound   certain
//	title     equal   high            equal*  equal**       sound   certain***
//	all else, and what a source that is itself unsure tells         a suggestion
//
//	*   but for case, punctuation and spaces
//	**  a year that either side does not tell is not equal
//	*** unless the service knows another of that title at most a year away
//
// An IMDb identifier is not certain where the service tells another title and a
// year more than one off. What a file's name tells is never
// certain.
//
// # Episodes
//
// An episode is known by its series, season and number, never by a number of its
// own. A series that is certain may still lack this season and number. No
// documented endpoint lists the episodes of a series. So season and number go to
// the service as the source tells them, and the service refuses what it does not
// know. Where a site is known to count in its own way, nothing is certain.
package resolve
