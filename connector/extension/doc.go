// Package extension is the browser extension: the folder source (Manifest V3, ES modules, no
// dependencies), and [Pack], which makes the archive that each of the two is given. Only the manifest differs between them.
// The same source makes the same bytes on every machine, so anybody can check what a store
// hands out. It pairs with the one-time code that Filmspool's page and filmspool sources pair show.
//
// # The source
//
// The folder content runs in the pages of the sites that the user has allowed. It
// measures what is really played and reports it. The folder identify turns that
// report into a film or an episode, or says that it cannot. The folder background
// keeps every event in a database of the browser's before anything else happens to
// it, and talks to the daemon. The folder pages has the popup and the options.
// They exchange the messages of messages.js. Only background talks to the daemon.
// Nothing leaves the browser except to the daemon's address on this machine.
//
// The browser may kill the background at any moment. So an alarm is set before an
// event is written, and the event is written before it is sent, under the same id. It
// is removed only when the daemon has it on its own disk. The token is shown only to
// a daemon that has proved to know it.
//
// # How much of it?
//
// Most media tell the film's own time and length. A length that grows is not
// believed until it stands still, the medium ends, or the page tells how long the item
// lasts. A time without an end, or that begins elsewhere, counts only where a slider
// of the page's has kept step with it for a minute. Then the slider's time counts.
// Where a site's rule names the slider, ten seconds are enough. A
// medium that becomes much shorter for a while is an advertisement.
//
// # What was it?
//
// Players hide their words with their controls, and may show the old title after the
// next episode has started. So words are kept for the session in which they were read,
// and what was shown before the address or the medium changed says nothing about the
// next session: not the title, the description or the links, not the words of a rule.
// A number in the address that an earlier session has had holds only where the words
// are the same, too.
//
// A rule says where a streaming site's page keeps its words. It is data in the
// folder sites, and its README.md is the guide. [Pack] puts all rules into one module.
// On a site with a rule nothing else is read. What a rule finds is evidence. It is
// bound to the number in the address, or to the medium that is loaded. Two words that
// contradict each other say nothing. An advertisement that a rule names does not count.
// For Netflix and Disney+ an object of the page is read in the page's own world. It is
// read only: Netflix's own getters are called, and nothing else.
//
// The extension asks nothing. What counts is sent as it was seen: with the number of
// themoviedb.org where the page has it, else with titles and numbers, else with the
// best name on the page and no year. A name without a year is certain of nothing, so
// the daemon holds it for its Review page. The daemon remembers the answers. A video whose
// page names nothing but the site is sent without a title. Review leads to its page, by the
// address without its query, and can ignore such videos on their site.
//
// # Does a rule still hold?
//
// A site changes its pages, and then its rule finds nothing. The background counts on
// disk how much film was counted since a rule last found something. After ten minutes
// it names the site in its status message, and the daemon's page Sources shows it. A
// player that goes on by itself shows no words, so a rule that has found something is
// trusted for 12 hours. A film that is known without the rule does not count.
//
// The grid of the options has each site with a rule where films are watched, and the
// media servers. A tick asks the browser for all names of the site at once, in the
// user's click. Nothing is kept about ticks: the
// browser's permissions are the truth.
//
// To try it: run node make-rules.js in the folder test, and load the folder source unpacked at chrome://extensions, or
// source/manifest.json at about:debugging in Firefox. The checks stand in the
// folder test (npm ci, npm run types, npm test), with dependencies of their
// own that are never shipped.
package extension
