// Package demo is the tour behind "filmspool demo". It starts a tracking service and
// a daemon of its own in a temporary folder. A browser, the command line and a Kodi
// library then produce viewings. The service is taken away and comes back. At the end
// the demo counts what the service has.
//
// It promises that only the people are made up. The daemon is the real one, the
// browser speaks the real protocol over a real socket, and a real Kodi wrote the
// library's file. The count is taken from the service's own records.
//
// It refuses to touch anything outside its folder.
package demo
