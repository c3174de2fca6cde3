/** @type {import("../sites.js").Adapter} */
export default {
  site: "Plex",
  source:
    "Plex's API: the page reports to /:/timeline?ratingKey=…, /library/metadata/KEY?includeGuids=1 gives Guid tmdb://…; " +
    "public scripts read the token from localStorage, myPlexAccessToken and users",
  path: /\/web\/(?:index\.html)?$/,
  provider: "plex",
};
