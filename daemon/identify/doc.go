/*
Package identify asks others than the service what an item is: Wikidata and
TMDB, where the user turned them on. It reads what a person types for an item.

It promises to ask only those that the user turned on. It promises to forget the
answers of one that is turned off. It refuses to ask the service, and to record
what an item is.
*/
package identify
