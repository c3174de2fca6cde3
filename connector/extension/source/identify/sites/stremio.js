/** @type {import("../sites.js").Adapter} */
export default {
  site: "web.stremio.com",
  source:
    "the routes in Stremio's own web client: #/player/STREAM/TRANSPORT/META/TYPE/ID/VIDEO; " +
    "the ids of its own catalogue are imdb's, an episode's is tt…:SEASON:EPISODE",
  host: /^(?:web\.stremio\.com|(?:web|app)\.strem\.io)$/,
  address: [
    /\/series\/(?<showImdb>tt\d{1,12})\/\k<showImdb>:(?<season>\d{1,5}):(?<episode>\d{1,5})(?:[/?#]|$)/,
    /\/(?<kind>movie)\/(?<imdb>tt\d{1,12})\/\k<imdb>(?:[/?#]|$)/,
  ],
};
