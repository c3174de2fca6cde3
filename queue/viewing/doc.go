// Package viewing is the vocabulary that sources, queue and sender share: a viewing (one
// playback of a film or an episode that reached its end), a watchlist wish, a list and an
// item of a list, all in one envelope and told apart by [Kind]; the states of an entry,
// the reasons for which one is held, and messages to people. [Event.Validate] checks the
// field rules of the service's contract before anything is queued: what it lets through
// can be told to the service, or be held with its evidence. The package looks nothing up
// and imports the standard library only.
package viewing
