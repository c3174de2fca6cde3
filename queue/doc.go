// Package queue is the outbox: a SQLite database that keeps every viewing that a source
// reported until the service has it or the user drops it. [Store.Commit] returns when an
// event is on disk. It turns each event into entries, one for each request to the service.
// Package replay sends the entries, one request at a time, and records the outcomes.
//
// All writes go through the single writer goroutine of package sqlite: it runs the waiting
// changes in one transaction, flushes it to disk, and then lets their callers continue.
// Only the method tx.transition changes the state of an entry; it also updates the counters and
// adds a step. Steps, reasons and causes are codes with arguments, which daemon/locale
// renders for people.
//
// # From Commit to the service
//
//	Commit      validates the events; everything below is one transaction, and Commit
//	            returns when it is on disk
//	commit      a known event id: a duplicate, or a conflict if the content differs
//	makeEntries for each account and item:
//	draft       corrections replace the item, then package rules decides whether the entry
//	            is pending, held or dropped
//	duplicateOf if another source has reported the same playback, the event becomes a
//	            sighting of that entry; otherwise the draft is inserted
//	Next        package replay asks for the pending entry that is due: live entries before
//	            imports, a list before its items, the older of two entries about one item
//	Begin       marks it as sending, on disk before the first byte is sent
//	Settle      records the outcome: delivered, rejected, pending for a later attempt, or
//	            in doubt
//
// An entry that is held because it has no identifier has a row in the table lookups: the
// loop asks the service, Wikidata or TMDB, and RecordLookups lets the rules decide again.
// An entry in doubt has a row in the table doubts until RecordReadBack, or a person,
// decides whether it arrived. [entry.Entry.Actions] is the table of which verb applies to
// which entry.
//
// # States
//
//	pending    waits to be sent
//	sending    its request may be under way
//	delivered  the service has it
//	held       waits until its reason is gone, or a person releases it
//	in_doubt   it may have arrived; package replay reads the service's history, or a
//	           person decides
//	rejected   the service refused it; kept with the service's answer
//	dropped    by a person, a rule or its source; kept in the database
//	merged     the same playback as another entry, or as a record that the service had
//
// # Failures
//
//	what fails                         what happens
//	process or power, before Commit    the source got no answer and reports the event again
//	  returned
//	process or power, after that       the event is on disk
//	process or power, while sending    in doubt at the next start
//	the connection to the service      pending, with a later attempt; nothing was sent
//	no answer, or an unclear one       in doubt: delivered if the service's history shows it
//	                                   at our time, sent again if the history proves that it
//	                                   is missing, otherwise left to a person
//	a clear refusal                    rejected; another request gets a new Idempotency-Key
//	the disk is full or read-only      Commit returns an error; the source keeps the event
//	the file is damaged                it is quarantined and its readable rows are copied;
//	                                   pending entries are held: they may have been sent
//	a backup is opened                 its pending entries are held: they may have been sent
//	the clock was ahead                delayed entries are due as soon as it is right: each
//	                                   time is stored with the time at which it was planned
//	the clock was behind               entries held for a time in the future can be released
//	                                   once that time has come
//
// # One playback, several sources
//
// A browser and Kodi, or two Kodis, may report the same playback. It becomes one request.
// An entry is compared with those of the same account and item when it is committed, when
// a lookup identifies it, when a person edits or releases it, and when it moves to another
// account. Package playback defines how far apart two ends may be; the nearest entry is
// chosen. One source that reports two viewings saw two, so an entry never has two
// sightings of one source. The first entry stays:
//
//	the entry is                       a sighting of another source
//	sending, delivered, in doubt,      joins it and changes nothing
//	  or the service had it
//	held by a person, restored, or     joins it and changes nothing
//	  waiting for approval
//	dropped by a person                joins it and changes nothing; an event that a person
//	                                   adds by hand later gets its own entry
//	pending                            joins it; supplies the time if only the day was known
//	held for another reason, or        joins it; supplies time, class and state if it may be
//	  rejected                         sent, else the time if only the day was known
//	dropped by a filter, a pause       gets its own entry
//	  or its source
//
// A single source cannot withdraw or change an entry that two sources have seen; it only
// adds a step. Viewings whose time is unknown are never compared. Imports from Kodi are
// compared in package kodi, and by package replay before they are sent.
//
// # Corrections
//
// A person may correct which film or series an item is, and the season and number of an
// episode. The correction is stored under the strongest clue in what the source reported:
// the site's own number, else the IMDb id, the TVDB id, or title and year. Later events with
// that clue are corrected when they are committed. Waiting entries are corrected in the same
// transaction, unless a person has edited or held them; a dry run lists them. For a
// series the shift of season and number is stored by season: see [resolve.Shift]. A later
// correction of the same clue replaces the earlier one. Nothing is stored if the source
// reported a TMDB id: its other clues may belong to another film, too.
//
// # Bursts
//
// A source that reports more viewings within one minute than a person can watch is
// faulty: those above the limit are held, until that minute is over. Viewings held for
// another reason are not counted.
package queue
