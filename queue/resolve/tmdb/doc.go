// Package tmdb asks themoviedb.org (TMDB), with the user's own token, what is
// needed to decide which film or episode is meant.
//
// It owns the six requests below, their pace, and how their answers are read. It
// decides nothing, keeps nothing, and is used only where the user turned it on.
//
//	question               request (API v3, https://developer.themoviedb.org)
//	IMDb, TVDB number      GET /find/{number}?external_source=imdb_id or tvdb_id
//	film                   GET /movie/{id}?append_to_response=translations
//	series, its seasons    GET /tv/{id}?append_to_response=translations,season/1,…  (20 parts at most)
//	title                  GET /search/movie or /search/tv, page after page
//
// The token goes into a header, never into an address. At most five requests leave
// in a second, ten at once. A refused token stops the asking for a day. 429 and
// errors of the server put it off. An answer that is not JSON of the
// documented shape counts as none: a portal's page never says "not found".
//
// The requests and their answers are made from TMDB's own OpenAPI document. No
// real TMDB was asked while this was written.
package tmdb
