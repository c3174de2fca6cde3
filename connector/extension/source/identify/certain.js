/**
 * Finds an identifier of TMDB on a page. The sources, strongest first: the
 * address of the page, the answer of a media server, data-tmdb-id, sameAs in
 * JSON-LD, and the links to themoviedb.org if all name the same work. On a site
 * with a rule only the first two are used.
 */
import { fromTmdb, positive, texts, tmdbOf } from "./ids.js";
import { fromJsonLd } from "./jsonld.js";

/** @typedef {import("./ids.js").Named} Named */

/**
 * @param {any} attributes of the body
 * @returns {Named | null}
 */
function fromAttributes(attributes) {
  const tmdb = positive(attributes?.tmdbId);
  const kind = attributes?.tmdbType;
  return tmdb && (kind === "movie" || kind === "tv") ? { kind, tmdb } : null;
}

/**
 * @param {any} provider the answer of a media server
 * @returns {Named | null}
 */
function fromProvider(provider) {
  if (provider?.type === "movie") return named("movie", provider.tmdb);
  if (provider?.type === "episode") return named("tv", provider.seriesTmdb);
  return null;
}

/**
 * @param {"movie" | "tv"} kind
 * @param {unknown} id
 * @returns {Named | null}
 */
function named(kind, id) {
  const tmdb = positive(id);
  return tmdb ? { kind, tmdb } : null;
}

/**
 * @param {import("./index.js").Page} page
 * @returns {Named | null} null when there is none, or when sources contradict each other
 */
export function certainId({ url, ruled, evidence }) {
  const own = fromTmdb(url);
  if (own) return own;
  if (evidence.provider) return fromProvider(evidence.provider);
  if (ruled) return null;
  const object = fromJsonLd(evidence.jsonld, url);
  const strong = [
    fromAttributes(evidence.attributes),
    object && tmdbOf(object.refs),
    object && tmdbOf(object.seriesRefs),
  ].filter((one) => one !== null);
  if (strong.length === 0) return tmdbOf(texts(evidence.links));
  return agreed(strong);
}

/**
 * @param {Named[]} all at least one
 * @returns {Named | null} the one that all name, with season and episode if one has them
 */
function agreed(all) {
  const [first] = all;
  if (all.some((one) => one.kind !== first.kind || one.tmdb !== first.tmdb)) return null;
  return all.find((one) => one.kind === "tv" && one.episode !== undefined) ?? first;
}
