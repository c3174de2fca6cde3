/** @type {import("../sites.js").Adapter} */
export default {
  site: "letterboxd.com",
  source: "public scripts for its film pages read body[data-tmdb-id][data-tmdb-type], and the meta element production:name-and-year",
  host: /^(?:www\.)?letterboxd\.com$/,
  path: /^\/(?:[a-z0-9_]+\/)?film\//i,
  pick: { nameAndYear: { selector: 'meta[name="production:name-and-year"]', attribute: "content" } },
};
