/**
 * Lists the content scripts in the order in which a page runs them. sites.js
 * registers them for the sites that the user has allowed, and for no others.
 * @type {string[]}
 */
export const contentFiles = [
  "content/bounds.js",
  "content/meter.js",
  "content/threshold.js",
  "content/jsonld.js",
  "content/evidence.js",
  "content/place.js",
  "content/site-rule.js",
  "content/site-words.js",
  "content/provider.js",
  "content/plex.js",
  "content/reporter.js",
  "content/session.js",
  "content/clock.js",
  "content/tracker.js",
  "content/watch.js",
  "content/finder.js",
  "content/why-not-counted.js",
  "content/start.js",
];
