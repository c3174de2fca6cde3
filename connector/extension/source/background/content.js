/**
 * The content scripts, in the order in which a page runs them. They are
 * registered by sites.js for the sites the user has allowed, never for all.
 * @type {string[]}
 */
export const contentFiles = [
  "content/bounds.js",
  "content/meter.js",
  "content/rule.js",
  "content/jsonld.js",
  "content/evidence.js",
  "content/place.js",
  "content/site.js",
  "content/words.js",
  "content/provider.js",
  "content/plex.js",
  "content/post.js",
  "content/sitting.js",
  "content/clock.js",
  "content/desk.js",
  "content/watch.js",
  "content/finder.js",
  "content/outlook.js",
  "content/start.js",
];
