// Package demo is the tour behind "filmspool demo": it starts a tracking
// service and a daemon of its own in a temporary folder, lets a browser, the
// command line and a Kodi library produce viewings, takes the service away and
// brings it back, and counts at the end what the service has.
//
// It promises that nothing in it is a mock-up but the people: the daemon is
// the real one, the browser speaks the real protocol over a real socket, the
// library is a file that a real Kodi wrote, and the count is taken from the
// service's own records.
//
// It refuses to touch anything outside its folder.
package demo
