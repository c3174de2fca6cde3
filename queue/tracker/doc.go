// Package tracker speaks to the tracking service: it makes requests, sends
// each once, and says what the answer means for the entry behind it.
//
// It owns the three write operations of the service's contract (add to
// history, add to watchlist, create a list), the HTTP client that carries
// them, and the table that turns what was seen into a [Fate]. openapi.yaml
// holds the contract in the form that tools read. Beyond the contract it reads
// back what optional endpoints show: [Client.Me], [Client.AllHistory],
// [Client.MediaStatus], [Client.Lists]; a service without one is no trouble
// ([ErrNoEndpoint]).
//
// It promises that one call of [Client.Send] puts at most one request on the
// wire: HTTP/1.1 only, a body that cannot be made anew, no redirects. That
// nothing was sent is said only when the connection's own count of bytes
// proves it; every other silence is [InDoubt]. The key leaves only in a
// header, over TLS or towards this machine; no verdict and no error holds it.
//
// A reading is called complete only when every page told the same total.
//
// It refuses to repeat, to wait, to remember entries, and to guess: whether
// and when to try again is its caller's business.
package tracker
