// Package rule decides which changes of a Kodi library are viewings. It is pure: [Decide] compares a reading with
// the [Memory] of those before, and the same arguments give the same [Verdict]. A [Plan] says what an import of
// the past would hand over. It knows neither where a library lies nor what the queue does with a class.
//
// # A viewing
//
// A viewing is a file whose play count grew. Kodi keeps only the last time, so several plays between two readings
// are one. A time that moved alone is a playback that did not end. A file with several episodes is one viewing of
// all of them. The count of a new path is its baseline.
//
// Each viewing has a class, with this fate. The user can set another in kodi.classes, except for imports:
//
//	live       played now, or Kodi has announced the end of its playback                sent
//	marked     Kodi has announced the count, and no playback                            sent
//	catch-up   its time lies between two good readings that are two minutes apart       sent
//	import     it is older than first contact, and a person has asked for it            sent
//	bulk       several items were marked in one act; at most one of them was played     held
//	backdated  an import or a restored file: its time is older than the last reading    held
//	review     only a person can tell                                                   held
//
// # The table
//
// The first row that fits counts. "Now" is this minute, written within 15 seconds, with a good reading within two
// minutes. "Between" is between the last good reading and this one. "Unsure" is never sent by itself, whatever
// the user has set for the class.
//
//	count          time                       besides                            what it is
//	the same       moved                                                         a playback that did not end
//	fell           any                        most counts fell at once           frozen: no viewing, nor is its return
//	fell           between, still 1 or more                                      review
//	fell           any                        the item or the time is another    restored: no viewing
//	fell           any                        stays so                           withdraws what has not left
//	new path       none, midnight, before                                        baseline
//
//	grew           none                                                          review, unsure
//	grew           unmoved                                                       review, unsure
//	grew by one    now                                                           live
//	grew by more   now                        the item was inserted              backdated
//	grew by more   now                                                           review
//	grew           future                                                        review
//	grew           seen before with the file                                     review, unsure
//	grew           a date, which is midnight                                     backdated, noon of that day
//	grew           between, two minutes                                          catch-up
//	grew           later than any before                                         backdated
//	grew           earlier                                                       review
//
//	any            any                        announced, with its playback       live
//	live, catch-up                            its item was inserted again        review
//	live, catch-up                            its item is new, time for half     review
//	live, catch-up                            its item is new                    backdated
//	live, catch-up                            Kodi is heard, and announced none  review
//	live, catch-up                            announced a minute from its time   review
//	live, catch-up                            announced, and was handed over     review
//	live, catch-up, none or unmoved           announced                          marked
//
//	live to marked                            within 2 s of another item's       bulk
//	none or unmoved                           three items at once                bulk, unsure
//	live to marked                            all of a file of several episodes  review
//	live to marked                            an add-on may have written it      review
//	any to marked                             an add-on tells the same service   review
//	live to bulk                              half a running time apart          a further sighting
//
// The first block is in [reading.file], the second in classify, the third in hear and suspicious, the last in
// findBulk, holdForOthers and join.
//
// # Why
//
// Inserted: an NFO with a count but without a date gives the file the time at which Kodi read it, which looks like
// a playback. Kodi reads an NFO only when it inserts an item. So a count is doubted when the item is new, was
// missing, or has other rows of identifiers than before.
//
// Bulk: Kodi marks a whole show within seconds. The first item may be read before the second is written. Then the
// earlier viewing is amended, if it has not left.
//
// A further sighting: one sitting is one viewing. Two ends of a file must be at least half the running time apart,
// two ends of different copies the whole of it. An unknown running time counts as 40 minutes for a film and 20 for
// an episode. A mark within a playback belongs to it.
//
// Taken back: a count that fell withdraws its viewing after half the running time. Until then the viewing does not
// leave, for a day at most. What was announced as played is not withdrawn.
//
// Frozen: add-ons empty a library and fill it again. When more than half of what was watched, and at least ten
// files, vanishes, or another file takes the library's place, counts that fall are frozen. That ends when half is
// back, or after a day without change.
//
// Identity: a file that is played before it is in the library is handed over by its path, and follows its identity
// when the library gives it one within 30 days. Where the old name was sent already, a person is asked.
//
// Announced: Kodi names an item of the file with this count, since the last good reading (package announce). The
// time is the library's; where that is no time of a playback, it is when the end, or the mark, was heard. A Kodi
// is heard when it has spoken, and the connection stood since before the last good reading. Of a library on a
// server not all Kodis are heard, and a file without an item is not announced: these are judged by times.
//
// # The clock
//
// A time is read in the configured zone, else that of Kodi's settings, else this machine's. Nothing found in the
// library changes that. Kodi writes a playback within two seconds of its end, and a reading gathers what is written
// for up to ten: 15 seconds are allowed. Where it is not known when the file was written, a minute is.
//
// In the hour that clocks repeat, the time that lies between the two readings counts. In the hour that they leave
// out, the offset from before counts. A date without a time stands for noon.
//
// # The import and the watchlist
//
// An import takes the last play of each file, with the time that came with the count. It leaves out what was handed
// over before, what the queue or the service has, and another copy of the same play.
//
// An item with the tag is handed over once for good, by its identifier or, without one, by its path. One that Kodi
// now calls by another name is handed over again, and the old entry is withdrawn if it has not left.
//
// # What is missed
//
// Two viewings can be false: an import may take the time of a later playback that did not end; and a Kodi that is
// not heard may refresh its newest item, whose NFO has a count but no date. Kodi does not tell of these:
//
//   - one episode of a file with two, stopped half way
//   - a playback that was ended by killing Kodi, or that is shorter than Kodi counts
//   - all but the last of several playbacks of one file between two readings
//   - a count that was taken back and a playback after it, or a playback and a refresh, both between two readings
//   - what a program writes with a time while Filmspool is off, or marks now as a person would
//   - of two Kodis on one library file, the one that is not heard: what it plays waits for a person
//   - an item that is removed from the library as its playback ends
//   - a new file that was played by a clock that is behind
//   - the second episode of a file that was played before it was in the library
//   - what was played after many counts fell, by a clock that shows an earlier time than before
package rule
