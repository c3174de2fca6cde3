/**
 * The one film or episode that a page's JSON-LD describes. What the content
 * script has sent is foreign all the same: every field is checked again.
 */
import { fromImdb, fromTmdb, ordinal, parse, year } from "./ids.js";

const MOST_TEXT = 300;

/**
 * @typedef {object} Described
 * @property {"movie" | "episode"} kind
 * @property {string} [title]
 * @property {number} [year]
 * @property {string} [seriesTitle]
 * @property {number} [season]
 * @property {number} [episode]
 * @property {string[]} refs addresses that are the same film or episode
 * @property {string[]} seriesRefs addresses that are the same series
 */

/**
 * @param {unknown} value
 * @returns {string | undefined}
 */
export function words(value) {
  const text = typeof value === "string" ? value.slice(0, MOST_TEXT).trim() : "";
  return text === "" ? undefined : text;
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
export function texts(value) {
  return Array.isArray(value) ? value.slice(0, 20).filter((one) => typeof one === "string") : [];
}

/**
 * @param {any} object
 * @returns {Described | null}
 */
function describe(object) {
  if (!object || typeof object !== "object") return null;
  const common = { title: words(object.name), refs: texts(object.refs) };
  if (object.type === "Movie") {
    return { kind: "movie", ...common, year: year(object.date) ?? undefined, seriesRefs: [] };
  }
  if (object.type !== "TVEpisode" && object.type !== "Episode") return null;
  const part = object.partOfSeason;
  const series = object.series ?? part?.series;
  return {
    kind: "episode",
    ...common,
    seriesTitle: words(series?.name),
    season: ordinal(part?.season ?? object.season, 0) ?? undefined,
    episode: ordinal(object.episode, 1) ?? undefined,
    seriesRefs: texts(series?.refs),
  };
}

/**
 * @param {string} one
 * @param {string} other
 * @returns {boolean} whether both are addresses of one page
 */
function samePage(one, other) {
  const [left, right] = [parse(one), parse(other)];
  return left !== null && right !== null && left.host === right.host && left.pathname === right.pathname;
}

/**
 * @param {unknown} jsonld
 * @param {string} url of the page
 * @returns {Described | null} null when it describes none, or several
 */
export function described(jsonld, url) {
  const all = (Array.isArray(jsonld) ? jsonld.slice(0, 20) : []).map(describe).filter((one) => one !== null);
  const distinct = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  if (distinct.length === 1) return distinct[0];
  const here = distinct.filter((one) => one.refs.some((ref) => samePage(ref, url)));
  return here.length === 1 ? here[0] : null;
}

/**
 * @param {string[]} refs
 * @returns {import("./ids.js").Named | null} null when they name none, or several; without a place when they name several
 */
export function tmdbOf(refs) {
  const named = refs.map(fromTmdb).filter((one) => one !== null);
  const [first] = named;
  if (!first || named.some((one) => one.kind !== first.kind || one.tmdb !== first.tmdb)) return null;
  const placed = named.filter((one) => one.kind === "tv" && one.episode !== undefined);
  const places = new Set(placed.map((one) => JSON.stringify(one)));
  return places.size === 1 ? placed[0] : { kind: first.kind, tmdb: first.tmdb };
}

/**
 * @param {string[]} refs
 * @returns {string | undefined} the one imdb id among them
 */
export function imdbOf(refs) {
  const ids = new Set(refs.map(fromImdb).filter((one) => one !== null));
  return ids.size === 1 ? [...ids][0] : undefined;
}
