// Package viewing is the vocabulary that sources, queue and sender share.
//
// It owns what a viewing is: one playback of a film or an episode that reached its
// end. A viewing has the identifiers that its source saw, the instant it ended, and an
// event id of the source's own. A watchlist wish, a list to create and an item of a
// list travel in the same envelope, told apart by [Kind]. It owns the states of an entry, the reasons
// for which one is held, and the kinds of source.
//
// It promises that what [Event.Validate] lets through can be told to the service,
// or be held with its evidence. So the field rules of the service's contract are
// checked here, before anything is queued.
//
// It refuses to look anything up, to keep anything, and to import anything but the
// standard library.
package viewing
