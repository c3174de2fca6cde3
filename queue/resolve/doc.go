// Package resolve decides which film or episode is meant by what a source reported.
// [Decide] is pure: the table below says what is certain, and which questions must be
// answered first. A [Chain] has them answered by those who may be asked and remembers
// the answers in one [Cache] beside the queue. What is not certain becomes candidates
// for a person; nothing is guessed.
//
// # Who is asked
//
// In this order, and each about what those before it have left open:
//
//  1. A person's [Correction] beats everything, also the source's own number.
//  2. The source's own TMDB number is taken. With TMDB on it is checked once before it
//     is sent, and held where something contradicts it: see [Chain.Contradiction].
//  3. The tracking service of the account, where it resolves. What it says of a title
//     counts only once TMDB, where it is on, knows no other work of that title.
//  4. Wikidata, where the user turned it on: numbers alone, never a title.
//  5. TMDB, where the user turned it on.
//
// Who is in trouble is left alone for a while, and the others are asked. A question is
// answered once somebody names one work for it; a title is asked of all:
//
//	an earlier one names    a later one names    the answer
//	one work                not asked            that work
//	several, or nothing     something            what the later one names
//	several                 nothing              all of them: not certain
//	one work of a title     one or more          all of them
//
// # What is certain
//
// A row decides when all that it names holds.
//
//	evidence                        certain when
//	TMDB number, kind reported      TMDB has it in that kind, and nothing contradicts
//	IMDb number of a film, series   one work in all is found, and it is of that kind
//	TVDB number of a series         one series is found
//	a site's own number of a film   Wikidata finds one work in all, and it is of that kind, as with an IMDb number
//	or series
//	title and year of a film        one film of that name and that very year; all hits were read,
//	                                and no other film of that name is within a year of it
//	title and year of a series      the same, and no other series of that name at all
//	title alone of a film           one film has that name, of all years; TMDB's hits were all read, and
//	                                its runtime is at most 3 % from what the player played
//	IMDb, TVDB number of an episode TMDB finds one episode, and the series reported is its series
//	TMDB number of an episode       it is sent as it is
//	place of an episode             its series is certain, the season's list has the number, and a witness
//	                                says that the source counts as TMDB does
//	the same, by the title alone    one series has that name, the season's list has the number, its runtime
//	                                is at most 3 % off, and no other one of the season is named like it
//	the same, without any list      the service or Wikidata alone is asked, and names the series; the source
//	                                tells no number of TVDB, and no name as "Part 1"
//	the same, by a site's number    the same, unless the site counts in its own way
//	name of an episode without      its series is certain, also by a person's answer, and of all its seasons' lists
//	season and number               one episode alone has that name; it is no special
//
// The witness of a place is the episode's name, or a series that is known by its TMDB
// number alone. A name that many episodes have, as "Episode 5", is no witness. Where
// a site counts seasons and episodes in its own way, the name decides. Neither the
// service nor Wikidata lists episodes: without TMDB season and number go to the service
// as they were reported, and it refuses what it does not know.
//
// Never certain: a year that is one off, because two films of one name are often a year
// apart. A special by its number. An absolute number. A second identifier that leads
// elsewhere. An answer of another kind. The first of several. What the service itself
// is not highly confident of.
package resolve
