/** @type {import("../sites.js").Adapter} */
export default {
  site: "themoviedb.org",
  source: "its addresses: /movie/ID, /tv/ID, /tv/ID/season/N/episode/M; read by ids.js",
  host: /^(?:www\.)?themoviedb\.org$/,
};
