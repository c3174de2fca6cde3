// Package rule decides which changes of a Kodi library are viewings. It is pure: [Decide] compares a snapshot with the
// [Memory] of earlier ones, and the same arguments give the same [Verdict]. A [Plan] lists the viewings of an import.
// The package does not read libraries, and does not decide what the queue does with a class.
//
// # A viewing
//
// A viewing is a file whose play count rose. Kodi keeps only the last time, so several plays between two reads are one
// viewing. A time that changed alone is an unfinished playback. A file with several episodes is one viewing of all of
// them. The count of a new path is its baseline.
//
// Each viewing has a class. The user can change what happens to a class in kodi.classes, except for imports:
//
//	live       played now, or Kodi announced the end of its playback                    sent
//	marked     Kodi announced the count, but no playback                                sent
//	catch-up   its time lies between two successful reads at least two minutes apart    sent
//	import     it is older than first contact, and the user started an import           sent
//	bulk       several items were marked at once; at most one of them was played        held
//	backdated  an import or a restored file: its time is older than the last read       held
//	review     only the user can tell                                                   held
//
// # The table
//
// The first matching row decides. "Now" means: the time is within the last minute, the file was written at most 15
// seconds later, and the last successful read was less than two minutes ago. "Between" means between the last
// successful read and this one. "Unsure" viewings are never sent automatically, whatever the class settings say.
//
//	count          time                       condition                          result
//	unchanged      changed                                                       an unfinished playback, no viewing
//	fell           any                        most counts fell at once           frozen: no viewing, also when it returns
//	fell           between, still 1 or more                                      review
//	fell           any                        the item or the time changed       restored: no viewing
//	fell           any                        it stays lower                     withdraws viewings that were not sent
//	new path       none, midnight, before                                        baseline
//
//	rose           none                                                          review, unsure
//	rose           unchanged                                                     review, unsure
//	rose by one    now                                                           live
//	rose by more   now                        the item was inserted              backdated
//	rose by more   now                                                           review
//	rose           future                                                        review
//	rose           the file had it before                                        review, unsure
//	rose           midnight, so a date only                                      backdated, noon of that day
//	rose           between, two minutes                                          catch-up
//	rose           later than any before                                         backdated
//	rose           earlier                                                       review
//
//	any            any                        announced, with its playback       live
//	live, catch-up                            its item was inserted again        review
//	live, catch-up                            its item is new, time for half     review
//	live, catch-up                            its item is new                    backdated
//	live, catch-up                            Kodi is connected, not announced   review
//	live, catch-up                            announced a minute from its time   review
//	live, catch-up                            announced, and already submitted   review
//	live, catch-up, none or unchanged         announced                          marked
//
//	live to marked                            within 2 s of another item's       bulk
//	none or unchanged                         three items in one read            bulk, unsure
//	live to marked                            all of a file of several episodes  review
//	live to marked                            an add-on may have written it      review
//	any to marked                             an add-on reports to the service   review
//	live to bulk                              half a running time apart          a further sighting
//
// The first block is in [reading.compareFile], the second in classify, the third in applyAnnouncement and doubtReason,
// the last in findBulk, holdAmbiguous and joinNearest.
//
// # Why
//
// Inserted: an NFO with a count but without a date gives the file the time at which Kodi read it, which looks like
// a playback. Kodi reads an NFO only when it inserts an item. So a count is doubted if the item is new, was missing,
// or has other identifier rows than before.
//
// Bulk: Kodi marks a whole show within seconds. The first item may be read before the second is written. Then the
// earlier viewing is amended, unless it was sent.
//
// A further sighting: one sitting is one viewing. Two ends of a file must be at least half the running time apart,
// two ends of different copies the whole of it. An unknown running time counts as 40 minutes for a film and 20 for
// an episode. A mark during a playback belongs to it.
//
// Taken back: a count that fell withdraws its viewing after half the running time. Until then the viewing is
// postponed, for a day at most. Viewings that Kodi announced as played are not withdrawn.
//
// Frozen: add-ons empty a library and fill it again. If more than half of the watched files, and at least ten,
// lose their count, or the library file is replaced, counts that fall are frozen. That ends when half of them are
// back, or after a day without change.
//
// Identity: a file that is played before it is in the library is submitted by its path, and amended when the
// library identifies it within 30 days. If it was already sent under the old name, the user decides.
//
// Announced: Kodi announced an item of the file with this count since the last successful read (package announce).
// The time is the library's. If that cannot be the end of a playback, it is the time of the announcement. A missing
// announcement counts as evidence only if Kodi has sent something and the connection existed since the last successful
// read. Several Kodis can write to a library on a server, and files without an item are not announced: both are
// classified by their times.
//
// # The clock
//
// A time is read in the configured zone, else that of Kodi's settings, else this machine's. Times in the library do
// not change the zone. Kodi writes a playback within two seconds of its end, and a read waits up to ten seconds for
// more writes: 15 seconds are allowed. If it is not known when the file was written, a minute is.
//
// In the hour that is repeated when clocks go back, the time between the two reads is taken. In the hour that is
// skipped, the offset from before is used. A date without a time is noon.
//
// # The import and the watchlist
//
// An import takes the last play of each file, with the time at which the count rose. It leaves out what was submitted
// before, what the queue or the service has, and other copies of the same play.
//
// A tagged item is added once, by its identifier or else by its path. If Kodi later gives it another identifier, it is
// added again, and the old entry is withdrawn unless it was sent.
//
// # Known limits
//
// Two kinds of false viewings are possible: an import may take the time of a later unfinished playback, and a Kodi
// without announcements may refresh its newest item with an NFO that has a count but no date. Not recorded are:
//
//   - one episode of a file with two, stopped half way
//   - a playback that ended with a kill of Kodi, or that is too short for Kodi to count
//   - all but the last of several playbacks of one file between two reads
//   - a playback after the count was reset, or before a refresh, if both happened between two reads
//   - an item that is removed from the library as its playback ends
//   - a new file that was played on a machine with a slow clock
//   - the second episode of a file that was played before it was in the library
//   - plays after many counts fell, if the clock shows an earlier time than before
//
// Programs that write a time while Filmspool is off, or mark items now as a user would, cannot be told from the user. If
// two Kodis share a library file, playbacks of the one without announcements are held for review.
package rule
