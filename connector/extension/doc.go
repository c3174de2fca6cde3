// Package extension holds the browser extension, source, and packs it for the
// two families of browsers.
package extension
