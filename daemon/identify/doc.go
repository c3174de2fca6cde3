/*
Package identify asks others than the service what an item is: Wikidata and
TMDB, where the user turned them on. It reads what a person types for an item.

It promises that nobody is asked whom the user did not turn on. It promises that
the answers of one that is turned off are forgotten. It refuses to ask the
service, and to record what an item is.
*/
package identify
