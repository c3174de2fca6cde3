// Package doubt decides what became of an entry whose request may have arrived, from
// what the service showed when it was read back. It is pure: package replay reads and
// records. A count proves nothing, since another device may have added, and no time of
// the service is compared with this machine's clock.
//
//	what the service's history shows                     the viewing becomes
//	a record at its time, to the learned precision,      delivered
//	  which no other entry of ours claims
//	no such record in two complete readings 30 s apart,  pending again
//	  the first 5 minutes after the last byte or later,
//	  each with a viewing that is known to be there
//	days only, and it has one on that day; times of      stays in doubt
//	  arrival; pages that shifted; an item that cannot
//	  be compared; another key or address
//	k records for m doubts of one item and time          k delivered, m-k stay
//
// A service keeps a time exactly, to the minute, as a day, or as the time of arrival.
// Which one is learned from up to 20 viewings of a form (a film, an episode by its
// place, an episode by its number) that it answered with 2xx: the coarsest way that
// explains all of them, and two of them for days. Until then absence proves nothing.
//
// The first read-back comes 2 s after the doubt, or once the service can be asked.
// Within 5 minutes of the last byte a reading can only prove arrival. Readings that
// prove nothing are repeated after 30 s, 30 s, 5 minutes, 1 h and 6 h; then the setting
// in_doubt decides. With "hold", it is read back once a day for 30 days more. What was
// sent to another address, or with another person's key, stays in doubt whatever the
// setting says.
//
// A wish in doubt is repeated, unless the item was watched since. A list is ours only
// if its id was absent before it was sent, and all that we asked for is equal. No
// endpoint shows what is on a list, so the setting decides about its items.
package doubt
