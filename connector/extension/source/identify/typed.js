/**
 * Reads what a user types to say what was watched: a link to themoviedb.org,
 * or a kind and a number, with season and episode where they are needed:
 * "movie 603", "tv 1396 S01E02", "https://www.themoviedb.org/tv/1396 1x02".
 */
import { fromTmdb, positive } from "./ids.js";
import { placeIn } from "./titles.js";

/** @typedef {import("./ids.js").Named} Named */

const MOST = 2000;
const FILM = /^(?:movie|film|m)$/i;
const SERIES = /^(?:tv|show|series|serie|t)$/i;
const LINK = /(?:https?:\/\/)?(?:www\.)?themoviedb\.org\/\S+/i;

/**
 * @param {string} text
 * @returns {{named: Named | null, rest: string}}
 */
function read(text) {
  const link = LINK.exec(text)?.[0];
  if (link) return { named: fromTmdb(/^https?:/i.test(link) ? link : `https://${link}`), rest: text.replace(link, " ") };
  const [, left, right, rest] = /^\s*([a-z]{1,6}|\d{1,16})[\s:/#]{1,3}([a-z]{1,6}|\d{1,16})(?![\p{L}\d])(.*)$/iu.exec(text) ?? [];
  const [word, number] = /^\d/.test(left ?? "") ? [right, left] : [left, right];
  const tmdb = positive(number);
  if (!tmdb || !word) return { named: null, rest: "" };
  if (FILM.test(word)) return { named: { kind: "movie", tmdb }, rest };
  return { named: SERIES.test(word) ? { kind: "tv", tmdb } : null, rest };
}

/**
 * @param {string} text
 * @returns {import("../messages.js").Media | null} null when it says nothing certain; an episode without season and
 *   episode when it names a series alone
 */
export function identifyTyped(text) {
  if (typeof text !== "string" || text.length > MOST) return null;
  const { named, rest } = read(text);
  if (!named) return null;
  if (named.kind === "movie") return { type: "movie", ids: { tmdb: named.tmdb } };
  const said = placeIn(rest);
  const { season = said?.season, episode = said?.episode } = named;
  const show = { ids: { tmdb: named.tmdb } };
  return season !== undefined && episode !== undefined ? { type: "episode", show, season, episode } : { type: "episode", show };
}
