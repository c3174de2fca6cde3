/** @type {import("../sites.js").Adapter} */
export default {
  site: "imdb.com",
  source: "its addresses carry the id; whether it is a film or an episode stands in its JSON-LD",
  host: /^(?:www|m)\.imdb\.com$/,
  path: /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?title\/tt\d/,
};
