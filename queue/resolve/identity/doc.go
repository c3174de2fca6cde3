// Package identity decides which film or episode is meant by what a source told.
//
// It owns the table of certainty below, and the questions that must be answered
// before a row of it can be used. It is pure: the caller of [Decide] gets the
// answers, in batches, and calls it again. It guesses nothing. What is not certain
// becomes candidates for a person.
//
// # What is certain
//
// A row decides when all that it names holds.
//
//	evidence                        certain when
//	TMDB number, kind told          TMDB has it in that kind, and nothing contradicts
//	IMDb number of a film, series   TMDB finds one work in all, and it is of that kind
//	TVDB number of a series         TMDB finds one series
//	a site's own number of a film   Wikidata finds one work in all, and it is of that kind, as with an IMDb number
//	or series
//	title and year of a film        one film of that name and that very year; all hits were read,
//	                                and no other film of that name is within a year of it
//	title and year of a series      the same, and no other series of that name at all
//	IMDb, TVDB number of an episode TMDB finds one episode, and the series told is its series
//	TMDB number of an episode       it is sent as it is
//	place of an episode             its series is certain, the season's list has the number, and a witness
//	                                says that the source counts as TMDB does
//	the same, without any list      Wikidata alone is asked, and names the series by its IMDb number; the source
//	                                tells no number of TVDB, and no name as "Part 1"
//	the same, by a site's number    the same, unless the site counts in its own way
//
// The witness of a place is the episode's name, or a series that is known by its TMDB
// number alone. A name that many episodes have, as "Episode 5", is no witness. Where
// a site counts seasons and episodes in its own way, the name decides.
//
// Wikidata may find a work by an IMDb or TVDB number, too: package chain has the rules.
// It lists no episodes. So season and number go to the service as they were told, and
// the service refuses what it does not know. A source that has TVDB's number may count
// as TVDB does.
//
// # What is never certain
//
// A title without a year. A year that is one off: two films of one name are often a
// year apart. A special by its number. An absolute number. A second
// identifier that leads elsewhere. An answer of another kind. The first of several.
//
// # Corrections
//
// What a person has said stands above the table. It is found by its [Clue].
package identity
