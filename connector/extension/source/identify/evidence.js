/**
 * Collects titles and numbers from the evidence of a page. With the answer of a
 * media server, or with a rule of the site, only that source is used. On other
 * pages the sources are JSON-LD, media session and document title, in this
 * order. When they contradict each other on season or episode, both stay unknown.
 */
import { fromImdb, imdbId, imdbOf, lean, ordinal, positive, texts, words, year } from "./ids.js";
import { fromJsonLd } from "./jsonld.js";
import { fromSite } from "./site.js";
import { bare, dated, placeIn } from "./titles.js";

/**
 * @typedef {object} Collected
 * @property {"movie" | "episode"} [kind]
 * @property {string} [title] of the film or the episode
 * @property {number} [year] of the film
 * @property {string} [seriesTitle]
 * @property {number} [season]
 * @property {number} [episode]
 * @property {import("../messages.js").Ids} [ids] of the film or the episode; never tmdb
 * @property {import("../messages.js").Ids} [showIds] of the series; never tmdb
 * @property {import("../messages.js").SiteNumbers} [site]
 */

/**
 * Checks ids of other services than TMDB.
 * @param {unknown} imdb
 * @param {unknown} [tvdb]
 * @returns {import("../messages.js").Ids | undefined}
 */
function foreign(imdb, tvdb) {
  const ids = lean({ imdb: imdbId(imdb), tvdb: positive(tvdb) });
  return Object.keys(ids).length > 0 ? /** @type {import("../messages.js").Ids} */ (ids) : undefined;
}

/**
 * @param {any} provider
 * @returns {Collected}
 */
function fromProvider(provider) {
  const common = { title: words(provider?.title), ids: foreign(provider?.imdb, provider?.tvdb) };
  if (provider?.type === "movie") return { kind: "movie", ...common, year: year(provider.year) ?? undefined };
  if (provider?.type !== "episode") return {};
  return {
    kind: "episode",
    ...common,
    seriesTitle: words(provider.seriesTitle),
    season: ordinal(provider.season, 0) ?? undefined,
    episode: ordinal(provider.episode, 1) ?? undefined,
    showIds: foreign(provider.seriesImdb, provider.seriesTvdb),
  };
}

/**
 * @param {any} jsonld
 * @param {string} url
 * @returns {Collected}
 */
function fromDescription(jsonld, url) {
  const found = fromJsonLd(jsonld, url);
  if (!found) return {};
  const { refs, seriesRefs, ...rest } = found;
  return { ...rest, ids: foreign(imdbOf(refs)), showIds: foreign(imdbOf(seriesRefs)) };
}

/**
 * Reads season, episode and series from a media session.
 * @param {any} session the metadata
 * @returns {Collected}
 */
function fromSession(session) {
  const [title, artist, album] = [words(session?.title), words(session?.artist), words(session?.album)];
  const place = placeIn(title) ?? placeIn(album) ?? placeIn(artist);
  if (!place) return {};
  const others = [artist, album].filter((one) => one && !placeIn(one) && !/^\D{0,12}\d{1,3}$/.test(one));
  return { kind: "episode", season: place.season, episode: place.episode, seriesTitle: words(place.before) ?? others[0] };
}

/**
 * @param {unknown} title document.title
 * @returns {Collected}
 */
function fromTitle(title) {
  const place = placeIn(title);
  if (place) {
    const series = words(bare(place.before.replace(/^watch\s+/i, "")));
    return { kind: "episode", season: place.season, episode: place.episode, seriesTitle: series };
  }
  return dated(title) ?? {};
}

/**
 * @param {string} url
 * @param {any} links
 * @param {"movie" | "episode" | undefined} kind
 * @returns {Collected} the IMDb id of a film; for an episode it would be unsure whether it is that of the series
 */
function fromLinks(url, links, kind) {
  const imdb = kind === "movie" ? (fromImdb(url) ?? imdbOf(texts(links))) : undefined;
  return imdb ? { ids: { imdb } } : {};
}

/**
 * @param {Collected[]} sources strongest first
 * @param {"season" | "episode"} name
 * @returns {number | undefined | null} null when they contradict each other
 */
function common(sources, name) {
  const said = new Set(sources.map((one) => one[name]).filter((one) => one !== undefined));
  return said.size > 1 ? null : [...said][0];
}

/**
 * Collects everything that the sources of a page say.
 * @param {import("./index.js").Page} page
 * @returns {Collected}
 */
export function collectedEvidence({ url, title, ruled, evidence }) {
  const { provider, jsonld, mediaSession, links } = evidence;
  const site = fromSite(evidence.site);
  const sources = provider ? [fromProvider(provider)] : ruled ? [site] : [fromDescription(jsonld, url), fromSession(mediaSession), fromTitle(title)];
  const kind = sources.find((one) => one.kind)?.kind;
  const fitting = sources.filter((one) => !one.kind || one.kind === kind);
  if (!ruled) fitting.push(fromLinks(url, links, kind));
  /** @param {keyof Collected} name */
  const first = (name) => fitting.find((one) => one[name] !== undefined)?.[name];
  const [season, episode] = [common(fitting, "season"), common(fitting, "episode")];
  const placed = kind === "episode" && season !== null && episode !== null;
  return /** @type {Collected} */ (lean({
    kind,
    title: first("title"),
    year: kind === "episode" ? undefined : first("year"),
    seriesTitle: first("seriesTitle"),
    season: placed ? season : undefined,
    episode: placed ? episode : undefined,
    ids: first("ids"),
    showIds: first("showIds"),
    site: site.site,
  }));
}
