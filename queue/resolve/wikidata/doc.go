// Package wikidata asks Wikidata's query service which film or series of TMDB has a
// number of IMDb, of TVDB, or of a streaming site.
//
// It owns the one query below and how its answer is read. It decides nothing, keeps
// nothing, and is used only where the user turned it on. It needs no account. It tells
// numbers, never titles, and never the number of an episode: Wikidata has hardly any.
//
//	question        property          answer
//	IMDb number     P345              the item's films (P4947) and series (P4983) of TMDB
//	TVDB number     P4835, a series   the same
//	site's number   see below         the same
//
// Each work comes with all names of the item (its labels) and its first year (P577, or
// P580 of a series). They may show that the number is another title's.
//
// # Numbers of sites
//
// A site numbers its films and series by itself. If a page tells the number of a
// film or a series, the query uses this property:
//
//	site           film                   series
//	appletv        P9586                  P9751
//	bbc-iplayer    P827                   P827
//	crunchyroll    -                      P11330
//	hbomax         P8298, after "movie/"  P8298, after "show/"
//	hulu           P6466                  P6467
//	jiohotstar     P11049                 P11049
//	mubi           P7299                  -
//	netflix        P1874                  P1874
//	paramountplus  P13147                 -
//	primevideo     P14462                 -
//	tubi           P7760                  P7760
//
// Other sites have no property, or one whose numbers no player shows. YouTube's
// (P1651) is often that of a trailer. At Prime Video, a film has a page. For a
// series, each season has one.
//
// # Traps
//
// A value of deprecated rank does not count, and an unknown value does not, either.
// An answer is marked as partial, and so never certain, in these cases:
//
//   - Several items have the number.
//   - The item has several such numbers, or is a film series (Q24856). Then its film may be a collection of TMDB.
//   - It is a film and a series of TMDB, or several of either.
//
// Wikidata's numbers of TMDB come mostly from TMDB itself, by a bot. So it is no second
// witness for them, and it may be years behind.
//
// # Manners
//
// One request at a time, one in a second, 50 numbers in each. The User-Agent names
// program, version and the project's page, as Wikimedia's policy asks. Retry-After is
// obeyed. After 403, or another refusal, nothing is asked for a day.
//
// The query, and the answers of the stub in the tests, were written from documents.
// These are of SPARQL 1.1 and of Wikidata's data model. The real service was not
// asked.
package wikidata
