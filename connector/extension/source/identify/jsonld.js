/**
 * Reads the film or episode that the JSON-LD of a page describes. The content
 * script has only trimmed it, so every field is checked.
 */
import { ordinal, parse, texts, words, year } from "./ids.js";

/**
 * @typedef {object} Described
 * @property {"movie" | "episode"} kind
 * @property {string} [title]
 * @property {number} [year]
 * @property {string} [seriesTitle]
 * @property {number} [season]
 * @property {number} [episode]
 * @property {string[]} refs addresses of the same film or episode
 * @property {string[]} seriesRefs addresses of the same series
 */

/**
 * Reads one object.
 * @param {any} object
 * @returns {Described | null}
 */
function described(object) {
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
 * Finds the only described film or episode, or the one with the address of the page.
 * @param {unknown} jsonld
 * @param {string} url of the page
 * @returns {Described | null} null when it describes none, or several
 */
export function fromJsonLd(jsonld, url) {
  const all = (Array.isArray(jsonld) ? jsonld.slice(0, 20) : []).map(described).filter((one) => one !== null);
  const distinct = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  if (distinct.length === 1) return distinct[0];
  const here = distinct.filter((one) => one.refs.some((ref) => samePage(ref, url)));
  return here.length === 1 ? here[0] : null;
}
