// Package queue is the outbox: every viewing that a source reported, on disk
// until the service has it or the user drops it.
//
// It owns the tables of the state folder's database, and the life of an entry:
// pending, sending, then delivered, in doubt, rejected, held, dropped or merged.
// Package disk keeps the file.
//
// It promises that what [Store.Commit] has answered survives a crash and a
// power cut; that an event is one event however often it is told; that an
// entry is marked on disk before a byte of it may leave; that entries about
// one item are handed out in the order they happened; and that the counters
// agree with the rows, for both change in one transaction.
//
// It refuses to send, to decide what an answer means, and to look into what
// sources keep here as their own memory.
//
// # One playback, several sources
//
// A browser and Kodi, two Kodis, Kodi and the NFO files of another program may
// see the same playback. It becomes one request, before or after the first of
// them was sent: when a viewing is committed, and when an entry gets its
// identity late, another time by the user, or is released, it is held against
// the entries of the same account and item. Those are the same playback whose
// ends lie no further apart than the item's running time, as the source that
// says more tells it, but at least 5 minutes; than 40 minutes of a film or 20
// of an episode where none tells it; or, where one knows only the day, that are
// of that day. It is the ends as they were first told that count, not those of
// sightings that were merged since: of a chain the far ends stay apart. The
// nearest is taken.
//
// What one source tells twice happened twice: an entry and what is merged into
// it never have two sightings of one source, and an event of n viewings of an
// item meets n others at most. An event is divided: of a file with two episodes
// one may be merged and the other sent.
//
// What becomes of the two, by where the earlier one stands:
//
//	the earlier one is              the later may leave     the later would be held
//	pending, sending, delivered,    joins the earlier       joins the earlier
//	  in doubt, or the service
//	  had it already
//	pending, only its day known     stays alone             joins the earlier
//	held: bulk, backdated, review,  stays alone             joins the earlier, but stays
//	  future, by a filter                                     alone when the earlier
//	                                                          knows only the day
//	held: by the user, imported,    joins the earlier       joins the earlier
//	  restored, damaged
//	rejected                        stays alone             joins the earlier
//	dropped by the user             joins: their drop       joins
//	                                  means no; what they
//	                                  add by hand later
//	                                  stays alone
//	dropped by a filter or by its   both by themselves      both by themselves
//	  source, or damaged
//	trimmed after a year            by itself               by itself
//
// Where the later one stays alone, the earlier becomes merged, and whoever saw
// that has seen the later one: releasing or retrying it is no more. Where the
// later one joins, it becomes a further sighting and has no entry (or a merged
// one, where other parts of its event have some), and nothing of the earlier
// one changes, its time least of all. Both tell of it in their explanation.
// The source hears "queued", or "dropped" where the user's drop decided.
//
// A filter is about what its source told: who is to say that it means the
// sighting of another, too? What two sources saw is not taken back or renamed
// by one of them alone; that is noted. Imports have rules of their own: what is
// imported is compared before it is handed over (package kodi) and before it is
// sent (package replay), but later sightings are held against it. Neither is
// what stands for plays of which nobody knows the time. An export does not say
// which events joined which.
//
// # Damage and copies
//
// Every row of events and entries carries a checksum of what is sent. A row
// that does not match it is never sent: it is held with the reason "damaged".
//
// After a salvage nothing is sent that may have been sent before. What was under
// way is in doubt. Entries whose row was lost are made anew from their events
// and held. Events of which only the name is left are still known.
//
// What is pending is held at the start on a database that is older than the
// last run, on a copy of [Store.Backup], and in what an earlier round of the log
// has left: it may have been sent since. A copy by Litestream does not say that
// it is one. What was delivered in the last second before the loss may be sent
// again.
//
// What was finished a year ago is forgotten once a day, in small steps. Names
// of events stay, and so does what the service rejected.
package queue
