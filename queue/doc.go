// Package queue is the outbox: it keeps every viewing that a source reported on disk
// until the service has it or the user drops it. [Store.Commit] returns when the disk
// has the events; it turns each into entries, one for each request to the service.
// Package replay takes the entries out, one request at a time, and says what became of
// them. Only the function transition changes an entry's state: it counts the change and
// writes a step. Steps, reasons and causes are codes with values, which daemon/locale
// renders for people; nothing here reads a sentence. All writing is done by one goroutine
// of package sqlite: it runs the changes that wait in one transaction, flushes it to the
// disk, and answers then.
//
// # From Commit to the service
//
//	Commit      checks the events against the field rules; all that follows is one
//	            transaction, and it returns when the disk has that
//	commit      the same event id: a duplicate, or a conflict where the content differs
//	makeEntries account by account and item by item:
//	draft       corrections say what it is, then package rules decides whether it may be
//	            sent, is held, or is dropped
//	duplicateOf an item that another source saw too joins that entry, any other one
//	            becomes an entry: pending, held or dropped
//	Next        the loop of package replay is woken and asks for the pending entry that is
//	            due: live before imports, a list before its items, of one item the older
//	            entry before the younger
//	Begin       marks it as sending, on disk before the first byte leaves; the end of the
//	            entry before is written with it
//	Settle      records the answer: delivered, rejected, pending for a later try, or in
//	            doubt
//
// An entry that is held for want of an identifier is in the table lookups: the loop asks
// the service, Wikidata or TMDB what it is and hands the answer to Found, which lets it go
// as the rules have it. An entry in doubt is in the table doubts until RecordReadBack, or
// a person, says what became of it. Which verbs fit an entry is one table:
// [entry.Entry.Actions].
//
// # States
//
//	pending    it waits to be sent
//	sending    its request may be under way
//	delivered  the service has it
//	held       not sent until its reason is gone, or a person releases it
//	in_doubt   it may have arrived; package replay reads the service's history, or a
//	           person settles it
//	rejected   the service refused it; kept with its answer
//	dropped    by a person, a rule or its source; kept for the record
//	merged     the same playback as another entry, or the service had it already
//
// # What can fail
//
//	what fails                         what happens
//	power or process, before Commit    the source was not answered and reports it again
//	  has answered
//	the same, after that               it is on disk
//	the same, while sending            in doubt at the next start
//	the service cannot be reached      pending again, tried later; nothing has left
//	no answer, or an unclear one       in doubt: delivered when the service shows it at our
//	                                   time, sent again when it shows for certain that it
//	                                   is missing, else held for a person
//	a clear refusal                    rejected; the next request is another act, with
//	                                   another Idempotency-Key
//	the disk is full or read-only      Commit is refused; the source keeps the event
//	the file is damaged                it is set aside, every readable row is copied; what
//	                                   was pending is held, for it may have been sent
//	an older copy is opened            the same: what was pending is held
//	the clock was ahead                what it has put off is due as soon as it is right:
//	                                   each time is kept with the time when it was planned
//	the clock was behind               what was held as future can be released as soon as
//	                                   its time has come
//
// # One playback, several sources
//
// A browser and Kodi, or two Kodis, may see the same playback. It becomes one request.
// An entry is compared with those of the same account and item when it is committed, when
// it gets its identity late, when a person edits or releases it, and when it is moved to
// another account. Package playback says how far two ends may lie apart; the nearest is
// taken. What one source reports twice happened twice: an entry never has two sightings of
// one source. The first entry stays:
//
//	the entry is                       a sighting of another source
//	sending, delivered, in doubt,      joins it and changes nothing
//	  or the service had it
//	held by a person, restored, or     joins it and changes nothing
//	  to be approved
//	dropped by a person                joins it: the drop means no; what a person adds by
//	                                   hand later is an entry of its own
//	pending                            joins it; brings its time where only the day was known
//	held for another reason, or        joins it; one that may leave brings its time, class
//	  rejected                         and state, else its time where only the day was known
//	dropped by a filter, a pause       is an entry of its own
//	  or its source
//
// What two sources saw is not withdrawn or renamed by one of them alone; that is noted.
// Plays whose time nobody knows are never compared. What is imported from Kodi is compared
// before it is handed over (package kodi) and before it is sent (package replay).
//
// # Corrections
//
// A person may say what a film or series is, and of an episode where it is. That is
// remembered by the strongest clue that the source gave: the site's own number, else IMDb,
// TVDB, or title and year. What is reported alike later has its identity when it is
// committed, and what waits follows in the same transaction, unless a person has edited it
// or put it aside; a dry run says what would follow. Of a series the shift of season and
// number is kept, season by season: see [resolve.Shift]. A later correction of the same
// clue wins. Nothing is remembered where the source itself gave a number of TMDB: all else
// that it said may belong to another film, too.
//
// # Bursts
//
// A source that reports more viewings of one minute than a person can watch has gone
// wrong: what is one too many is held, and all that follows of that minute. What is held
// anyway does not count.
package queue
