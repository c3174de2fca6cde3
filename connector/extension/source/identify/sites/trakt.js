/** @type {import("../sites.js").Adapter} */
export default {
  site: "trakt.tv",
  source: "public scripts for its pages read a#external-link-tmdb; addresses are /movies/NAME and /shows/NAME/seasons/N/episodes/M",
  host: /^(?:app\.|www\.)?trakt\.tv$/,
  address: [
    /trakt\.tv\/(?:shows)\/[^/?#]+\/seasons\/(?<season>\d{1,5})\/episodes\/(?<episode>\d{1,5})(?:[/?#]|$)/,
    /trakt\.tv\/(?<kind>movie)s\/[^/?#]+(?:[/?#]|$)/,
  ],
  pick: { tmdb: { selector: "a#external-link-tmdb", attribute: "href" } },
};
