// Package doubt decides what became of an entry whose request may have
// arrived, from what the service showed when it was read back.
//
// It owns the rules: when a record is ours, and when its absence is proof. It also
// learns how a service keeps times, and says when to read back again. It applies
// the user's setting to what stays open. It is pure. It calls no viewing delivered
// without a record at the viewing's own time. It calls none absent without two
// complete and equal readings that show a viewing which is known to be there.
//
// It refuses to read, to keep, and to guess: what cannot be proven stays.
//
// # What proves what
//
// A count proves nothing, since another device may have added. No time of the
// service is compared with this machine's clock. Every read-back uses the
// account and the key's owner of the attempt.
//
//	what the service shows                               becomes
//	a record at our time, to the learned precision,      delivered
//	  which no other entry of ours claims
//	media/status tells watchedAt, and it is ours         delivered
//	no such record in two complete, equal readings 30 s  pending again
//	  apart, the first 5 minutes after the last byte or
//	  later, with the learned viewing visible in both
//	watched:false in both, beside the learned viewing    pending again
//	  as watched
//	days only, and it has one on that day; times of      stays in doubt
//	  arrival; pages that shifted; an item that cannot
//	  be compared
//	k records for m doubts of one item and time          k delivered, m-k stay
//
// What we delivered meanwhile is left out of both readings.
//
// # How a service keeps times
//
// A service keeps a time exactly, to the minute, as a day, or as the time of
// arrival. Which one is learned from viewings that it answered with 2xx. The
// newest 20 of a form count; the forms are a film, an episode by its place, an
// episode by its number. The coarsest way that explains all of them counts, and
// days need two viewings. Until then absence proves nothing.
//
// # When it is read back
//
// The first read-back comes 2 s after the doubt, or once the service can be asked. It
// can only prove arrival. Where readings differ or prove nothing, the next come
// after 30 s, 30 s, 5 minutes, 1 h and 6 h. Then the setting in_doubt decides. With
// "hold", it is read back once a day for 30 days more.
//
// What was sent to another address, or with another person's key, stays in doubt
// whatever the setting says.
//
// # Wishes and lists
//
// A watchlist wish in doubt is repeated, unless the item has been watched since. A
// list is ours only if its id was absent from a reading before the send, and its
// name, description and visibility are equal. No endpoint shows what is on a list,
// so an item of a list waits for the user or the setting.
package doubt
