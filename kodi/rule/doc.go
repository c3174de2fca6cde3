// Package rule says what two readings of a Kodi library show: which viewings, and which corrections of earlier ones.
//
// It owns the rule of what a viewing is ([Decide]), the memory of a library ([Memory]), and an import's plan ([Plan]).
// It promises to be pure: the same arguments give the same verdict, and nothing is read, written or asked.
// It refuses to know where a library lies, and what the queue does with a class.
//
// # A viewing
//
// A viewing is a file whose play count grew and whose time moved. A moved time alone is a playback that did not end.
// A file with several episodes is one viewing of all of them. Extras are no viewings.
// The count of a new path is the baseline, and no viewing.
// Only a time after the last good reading makes it one.
//
// Each viewing has a class, with this fate. The user can set another fate in kodi.classes, except for imports:
//
//	live       grew by one, this minute, with a good reading less than two minutes before   sent
//	           or Kodi has announced its playback
//	marked     Kodi has announced it, and no playback                                       sent
//	catch-up   its time lies between two good readings, however far apart                   sent
//	import     it is older than first contact, and a person has asked for it                sent
//	bulk       several items were marked in one act; at most one of them was played         held
//	backdated  an import or a restored file: its time is older than the last good reading   held
//	review     only a person can tell                                                       held
//
// Kodi keeps only the last time. So several plays between two readings count as one.
//
// # The table
//
// This is what two readings of a file show. The first line that fits counts.
// The lines from "live, catch-up" on are a second look, at all files together.
// "Now" is this minute by the expected clock, written within 15 seconds, with a good reading within two minutes.
// "Between" is between the last good reading and this one. "Known" is a time that was seen with the file before.
//
//	count        time                    besides                      what it is
//	new path     none, midnight, before                               baseline, no viewing
//	new path     between, now            as below                     as a growth from 0
//	the same     moved                                                a playback that did not end
//	fell         any                     most counts fell at once     frozen: no viewing, nor is its return
//	fell         moved, still 1 or more                               review
//	fell         any                     stays so                     withdraws what has not left
//	grew         no time, or unmoved                                  review, unsure
//	grew by one  now                     the item was inserted anew   review; backdated for a new file*
//	grew by one  now                                                  live
//	grew by more now                     the item was inserted anew   backdated
//	grew by more now                                                  review
//	grew         midnight, later                                      backdated, noon of that day
//	grew         between                 time known                   review, unsure
//	grew         between**               the item was inserted anew   review; backdated for a new file*
//	grew         between**                                            catch-up, one viewing
//	grew         before, not known                                    backdated
//	grew         future, known, earlier                               review
//	any growth      announced, with the end of its playback           live: the next eight lines do not count
//	live, catch-up  not announced by a Kodi that is heard             review
//	live, catch-up  announced as marked, a minute from its time       review
//	live, catch-up  the same, and up to a count handed over before    review
//	live, catch-up, no time, or unmoved: announced, without playback  marked: counts as live below
//	live, catch-up  within 2 s of another item's                      bulk
//	no time, or unmoved, of three items at once                       bulk, unsure
//	live, catch-up  all of a file of several episodes, from none      review
//	live, catch-up  where an add-on writes what was watched elsewhere review, marked as well
//	live, catch-up  where an add-on reports to the same service       review, played or not
//	live, catch-up  within half a running time of the same file       a further sighting
//	live, catch-up  within a running time of another copy             a further sighting
//
// * Review as well, when half the running time fits between the last good reading and its time.
// ** The last good reading is two minutes old or older.
//
// Unsure viewings are never sent by themselves, whatever the user has set for their class.
// The plays before the last, and times of a machine whose clock was not set, are unsure, too.
//
// # Why
//
// Inserted anew: an NFO with a count but without a date gives the file the time at which Kodi read it.
// That looks like a playback. Kodi reads an NFO only when it inserts an item.
// So a growth is doubted when the item is new, was missing, or has other rows of identifiers than before.
// A file without an item was played from Files: no NFO was read.
//
// Bulk: Kodi marks a whole show within seconds. The first item may be read before the second is written.
// Then the earlier viewing is amended, if it has not left.
//
// A further sighting: one sitting is one viewing. Two ends of one file must be at least half the running time apart.
// An unknown running time counts as 40 minutes for a film and 20 for an episode.
// The ends of two copies must be at least the whole running time apart, and five seconds to begin the other.
//
// Taken back: a count that fell withdraws its viewing after half the running time.
// Until that is decided the viewing does not leave, for a day at most.
//
// Identity: a file that is played before it is in the library is handed over by its path.
// It follows its identity when the library gives it one within 30 days.
// Where Kodi's old name for it was sent already, a person is asked.
//
// Frozen: more than half of what was watched (and at least ten files) vanishes, or another file takes Kodi's place.
// Add-ons empty a library and fill it again. So counts that fell are frozen, and their return is no viewing.
// That ends when half is back, or after a day without change.
//
// Announced: Kodi names an item of the file with this count, since the last good reading. Package announce tells how.
// The time is the library's. Where that is no time of a playback, it is when the end, or the mark, was heard.
// A Kodi is heard when it has spoken, and the connection stood since before the last good reading.
// A library on a server has other Kodis, and a file without an item is not announced: they are judged as if nobody listened.
// A mark within a playback belongs to it. What was announced as played is not withdrawn when its count is taken back.
//
// # The clock
//
// A time is read in the configured zone, else in that of Kodi's settings, else in this machine's.
// What is found in the library never changes that: any program can write a time there.
//
// Kodi writes a playback within two seconds of its end. So a time is compared with the time of the library's file.
// Fifteen seconds are allowed, since a reading gathers what is written for up to ten seconds.
// Where the file's time is not known, a minute before the last good reading is allowed.
//
// In the hour that clocks repeat, the time that lies between the two readings of the library counts.
// In the hour that they leave out, the offset from before counts. A date without a time stands for noon of that day.
//
// # The import
//
// An import takes the last play of each file, with the time that came with the count. Kodi keeps no other time.
// It leaves out what was handed over before, what the queue has heard of, and what the service has.
// It also leaves out plays of another copy at the same time, and what ended before the date that was asked for.
// "The same" is the same item within half the running time, or on the same day where only the day is known.
//
// # The watchlist
//
// An item with the tag is handed over once for good, by its identifier or, without one, by its path.
// A tag that is taken away changes nothing.
// An item that Kodi now calls by another name is handed over again. The old entry is withdrawn if it has not left.
//
// # What is missed
//
// Two viewings can be false. An import may take the time of a later playback that did not reach its end.
// And Kodi, when it is not heard, may use the same numbers again when it refreshes the newest item.
// Then a count without a date in its NFO reads as a playback that has just ended.
// The remedy is to give the NFO a date, or to drop the viewing while it waits.
//
// Nobody can know of these, since Kodi does not tell:
//
//   - one episode of a file with two, stopped half way
//   - a playback that was ended by killing Kodi, or that is shorter than Kodi counts
//   - all but the last of several playbacks of one file between two readings
//   - a count that was taken back and a playback after it, both between two readings
//   - a playback and a refresh of the same file, both between two readings
//   - what a program writes with a time while Filmspool is off, or marks now as a person would
//   - of two Kodis on one library file, the one that is not heard: what it plays waits for a person
//   - an item that is removed from the library as its playback ends
//   - a new file that was played by a clock that is behind, or at midnight sharp: it is baseline
//   - what was played after many counts fell, by a clock that shows an earlier time than before
package rule
