// Package resolve decides which film or episode a source has reported. "Work" means a film
// or series; "number" means an identifier of TMDB, IMDb, TVDB or a streaming site.
//
// [Decide] is pure: it applies the table below, or returns the questions that must be
// answered first. A [Chain] has them answered by its providers and stores the answers in a
// [Cache] on disk. An uncertain result becomes a list of candidates for the user; nothing
// is guessed.
//
// # Sources of answers
//
// In this order; each provider gets only the questions that are still open:
//
//  1. A user's [Correction] beats everything, even the source's own number.
//  2. The source's own TMDB number is used. If TMDB is enabled, the number is checked once
//     before the entry is sent, and a contradiction holds the entry: see [Chain.Contradiction].
//  3. The tracking service of the account, if it can resolve items. Its answer to a title
//     is certain only if TMDB, if enabled, knows no other work of that title.
//  4. Wikidata, if the user enabled it: for numbers, never for titles.
//  5. TMDB, if the user enabled it.
//
// A provider that failed is not asked for a while; the others are. A question is
// answered once a provider returns exactly one work; a title goes to all providers:
//
//	an earlier provider returns    a later provider returns    the answer
//	one work                       (not asked)                 that work
//	several works, or none         at least one                the works of the later one
//	several works                  none                        the earlier works: not certain
//	one work for a title           at least one                the works of both
//
// # Certain results
//
// A row applies if all of its conditions are true.
//
//	evidence                        certain if
//	TMDB number and kind            TMDB has a work of that kind, and nothing contradicts it
//	IMDb number of a film or series exactly one work is found, and it is of that kind
//	TVDB number of a series         exactly one series is found
//	a site's number of a film       Wikidata finds exactly one work, and it is of that kind
//	or series
//	title and year of a film        one film has that name and year; all hits were read, and no other
//	                                film of that name is within one year
//	title and year of a series      the same, and there is no other series of that name at all
//	title of a film, no year        one film of all years has that name; all of TMDB's hits were read, and
//	                                its runtime is within 3 % of the player's
//	IMDb, TVDB number of an episode TMDB finds one episode, and it belongs to the reported series
//	TMDB number of an episode       nothing contradicts it; it is sent as reported
//	series, season and number       the series is certain, the season has the number, and it is confirmed
//	                                that the source counts as TMDB does
//	the same, series without a year one series has that name, the season has the number, its runtime is
//	                                within 3 %, and no other episode of the season has the reported name
//	the same, without TMDB          the service or Wikidata returns the series; the source has no TVDB
//	                                number, and the episode's name is not generic, such as "Part 1"
//	the same, with a site's number  the same, unless the site has its own numbering
//	name of an episode without      the series is certain (a user's answer counts), and exactly one episode
//	season and number               of all its seasons has that name; it is not a special
//
// A season and number are confirmed by the episode's name, or if the series is identified
// by its TMDB number alone. A name that many episodes have, such as "Episode 5", confirms
// nothing. If a site has its own numbering, the name decides. Neither the service nor
// Wikidata lists episodes: without TMDB, season and number are sent as reported, and the
// service rejects those it does not know.
//
// Never certain: a year that is off by one, because two films of one name are often a year
// apart; a special by its number; an absolute number; two identifiers of different works;
// an answer of another kind; the first of several works; an answer for which the service
// does not report high confidence.
package resolve
