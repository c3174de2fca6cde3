// Package scan is what is told of a scan of a library, and of an import from it.
//
// It owns the words and the counting: what is new, what would wait, what would be
// left out. It promises to stay plain data, with stable names in JSON. It refuses to
// decide: the [Fate] that it is given says what becomes of a viewing.
package scan
