// Package extension holds the browser extension: the folder source (Manifest V3, ES modules, no
// dependencies), and [Pack], which builds the archives for Chromium and Firefox. The two differ in
// their manifest only. The same source gives the same bytes on every machine, so anybody can
// check what a store hands out. The extension pairs with the one-time code that Filmspool's page
// and "filmspool sources pair" show.
//
// # The source
//
//   - content runs in the pages of the sites that the user allowed. It measures what is played.
//   - identify turns what content found into a film or an episode, or finds none.
//   - background stores every event in IndexedDB before anything else, and talks to the daemon.
//   - pages has the popup and the options.
//   - sites has the rules of the streaming sites.
//
// They exchange the messages of messages.js. Only background talks to the daemon, and data goes
// only to the daemon's address on this machine.
//
// The browser may stop the background at any moment. So an alarm is set before an event is
// written, and the event is written before it is sent. It keeps its id, and is deleted only
// when the daemon has it on disk. The token is sent only to a daemon that has proved to know it.
//
// # Measuring
//
// Most media elements report the position in the film and its length. A growing length is
// ignored until it stops growing, the medium ends, or the page states the length. A position
// without an end, or with another beginning, counts only if a slider of the page has moved in step
// with it for a minute; then the slider's position counts. If a site's rule names the slider, ten
// seconds are enough. A medium that becomes much shorter for a while is an advertisement.
//
// # Identifying
//
// Players hide titles with their controls, and may show the old title after the next episode has
// started. So titles are stored with the session in which they were read, and what was shown
// before the address or the medium changed is not used for the next session. A number in
// the address that an earlier session had is used only if the titles are the same, too.
//
// A rule says where a streaming site's page shows its titles. Rules are data in the folder sites,
// whose README.md is the guide; [Pack] puts all of them into one module. On a site with a
// rule nothing else is read. What a rule finds is bound to the number in the address, or to the
// loaded medium. Contradicting titles are ignored, and an advertisement that a rule names does not
// count. For Netflix and Disney+ an object of the page is read in the page's own world, with
// Netflix's own getters.
//
// The extension asks nothing. It sends what it found: the number of themoviedb.org if the page
// has it, else titles and numbers, else the best name on the page without a year. The daemon
// holds an uncertain name for its page Review and remembers the answer. A video on a page
// that names only the site is sent without a title. Review links to that page, by its address
// without the query, and can ignore such videos of the site.
//
// # Broken rules
//
// When a site changes its pages, its rule finds nothing. The background counts how much was played
// since a rule last found something. After ten minutes it names the site in its status
// message, and the daemon's page Sources shows it. A player that continues on its own shows no
// titles, so a rule that has found something is trusted for 12 hours. Films identified
// without the rule do not count.
//
// # Permissions
//
// The options list every site with a rule, and the media servers. A tick asks the browser for all
// host names of the site at once, within the user's click. Ticks are not stored: the
// browser's permissions are the truth.
//
// # Development
//
// Run node make-rules.js in the folder test. Then load the folder source unpacked at
// chrome://extensions, or source/manifest.json at about:debugging in Firefox. The checks are in the
// folder test (npm ci, npm run types, npm test); their dependencies are never shipped.
package extension
