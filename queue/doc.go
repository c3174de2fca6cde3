// Package queue is the outbox: every event that a source reported, on disk
// until the service has it or the user drops it.
//
// It owns the life of an entry: whatever changes one is here. Package disk keeps the
// file, and package schema the shape of its tables. Package entry reads what is
// there. Package export has the lines of an export.
//
// It promises that what [Store.Commit] has answered survives a crash and a power
// cut. An event is one event however often it is told. An entry is marked on disk
// before a byte of it may leave. Entries about one item are handed out in the order
// they happened. The counters agree with the rows, since both change in one
// transaction.
//
// It refuses to send, to decide what an answer means, and to look into what
// sources keep here as their own memory.
//
// # The life of an entry
//
//	pending → sending → delivered
//	held       not sent until its reason is gone
//	in_doubt   it may have arrived; it is read back, or a person settles it
//	rejected   the service refused it; kept with its answer
//	dropped    by a person or a rule; kept for the record
//	merged     the same playback as another entry
//
// Some entries never leave by themselves, whatever the settings say. These have no
// identifier, lie in the future, or can only be dated or confirmed by a person. An
// item of a list waits for its list, and takes the service's id of it. It goes when
// the list is dropped.
//
// Events and entries are n to m. A double episode is one event and two entries. Two
// sightings of one playback are two events and one entry. An entry is unique by event,
// account and part. An event is unique by the kind of its source and its id, so that a
// browser which pairs anew does not double. A paired client that knew another's
// UUID could use it first. But UUIDs are random and told to the daemon alone, and
// whoever comes second hears CONFLICT.
//
// # Several accounts
//
// A route may lead to several accounts: what was watched together. The event is then
// an entry in each account, one after the other. Each entry is sent, held, merged and
// dropped by itself. A list has an entry in each account, and its items go where it
// is. A correction is for all of them. An import leaves out what any of them has
// heard of.
//
// A person may move an entry to another account, if nothing of it has left. It keeps
// its event and its history. It joins an entry of that account that tells of the same
// playback, and changes nothing of that one. When it is moved again, that one stays
// as it was. It cannot move to an account that has the event already.
//
// # One playback, several sources
//
// A browser and Kodi, two Kodis, Kodi and another program may
// see the same playback. It becomes one request, before or after the first of
// them was sent. An entry is compared with the entries of the same account and item
// when it is committed. It is compared again when it gets its identity late, when the
// user changes its time, and when it is released. Package playback has the table of
// how far two ends may lie apart; the nearest is taken. The ends count as they were
// first told, not those of sightings that joined since. So the far ends of a chain
// stay apart.
//
// What one source tells twice happened twice. So an entry, with all that joined it,
// never has two sightings of one source. An event of n viewings of an item meets n
// others at most. An event can be divided: one of two episodes in a file may be
// merged, and the other sent.
//
// What becomes of the two, by where the earlier one stands:
//
//	the earlier one is              the later may leave     the later would be held
//	pending, sending, delivered,    joins the earlier       joins the earlier
//	  in doubt, or the service
//	  had it already
//	pending, only its day known     stays alone             joins the earlier
//	held: bulk, backdated, review,  stays alone             joins the earlier, but stays
//	  future, wave, by a filter                               alone when the earlier
//	                                                          knows only the day
//	held: by the user, restored,    joins the earlier       joins the earlier
//	  or to be approved
//	rejected                        stays alone             joins the earlier
//	dropped by the user             joins: their drop       joins
//	                                  means no; what they
//	                                  add by hand later
//	                                  stays alone
//	dropped by a filter, a pause    both by themselves      both by themselves
//	  or its source
//
// Where the later one stays alone, the earlier becomes merged. Its sightings are
// sightings of the later one now, and it cannot be released or retried any more.
//
// Where the later one joins, it becomes a further sighting. It has no entry, or a
// merged one where other parts of its event have some. Nothing of the earlier one
// changes, least of all its time. Both tell of it in their explanation. The source
// hears "queued", or "dropped" where the user's drop decided.
//
// A filter is about what its own source told, not about another's sighting. What two
// sources saw is not taken back or renamed by one of them alone; that is noted.
//
// What is imported is compared before it is handed over (package kodi) and before it
// is sent (package replay). Later sightings are compared with it. Plays whose time
// nobody knows are never compared.
//
// # Corrections
//
// A person may say what a film or series is. It is remembered for what is told
// alike: by one IMDb number, else one TVDB number, else one title and year. What is
// told alike later, and has no number of TMDB, has its identity when it is
// committed. Nobody is asked about it. What waits follows when the correction is
// made, in the same transaction, and meets the sightings of others then.
//
// A later correction of the same wins. What has its identity from the earlier one
// follows. What a person has changed or put aside stays, and so does what has begun
// to leave. Nothing is remembered of evidence that its source does not trust, nor
// where the source told a number of TMDB. Then all that it told may belong to
// another film, which somebody may truly watch.
//
// # Damage and copies
//
// Every readable row of a damaged file is copied into a new one. What was pending is
// held there, and what was being sent is in doubt: it may have been sent.
//
// What is pending in a copy of [Store.Backup] is held at the start, for the same
// reason. A copy by Litestream does not say that it is one. What was delivered in the
// last second before the loss may be sent again.
package queue
