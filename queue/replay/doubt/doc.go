// Package doubt decides whether an entry was recorded when its request may have arrived.
// It decides from the records that the service returns when it is read back. The package
// is pure: package replay reads the records and stores the decisions. A number of records
// proves nothing, since another device may have added some, and no time from
// the service is compared with this machine's clock.
//
//	the service's history                                the viewing
//	has a record at its time, to the learned precision,  becomes delivered
//	  that belongs to no other entry of the queue
//	has no such record in two complete readings 30 s     becomes pending again
//	  apart, the first at least 5 minutes after the
//	  last byte, each containing an anchor
//	stores only days, and has a record on that day;      stays in doubt
//	  stores times of arrival; changed while it was
//	  read; has records that cannot be compared;
//	  belongs to another key or address
//	has k records for m doubts of one item and time      k become delivered, m-k stay in doubt
//
// An [Anchor] is a viewing that the service answered with 2xx, so that a working history
// must contain it. A service stores a time exactly, to the minute, as a day, or as the time
// of arrival. The precision is learned from up to 20 anchors of each naming form (a film, an
// episode by its place, an episode by its number): it is the coarsest one that explains all
// of them; days need two anchors. Until it is known, the absence of a record proves nothing.
//
// The first read-back comes 2 s after the doubt, or once the service is available.
// Within 5 minutes of the last byte a reading can only prove arrival. Readings that
// prove nothing are repeated after 30 s, 30 s, 5 minutes, 1 h and 6 h; then the setting
// in_doubt decides. With "hold", the entry is read back once a day for 30 more days. An
// entry sent to another address, or with another user's key, stays in doubt regardless
// of the setting.
//
// A watchlist add in doubt is repeated, unless the item was watched since. A list on the
// service is the one in doubt only if its id was not there before the request, and its name,
// description and visibility are equal. No endpoint returns the items of a list, so the
// setting decides about them.
package doubt
