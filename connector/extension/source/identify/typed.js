/**
 * Reads what a user types to say what was watched: a link to themoviedb.org,
 * or a kind and a number, with season and episode where they are needed:
 * "movie 603", "tv 1396 S01E02", "https://www.themoviedb.org/tv/1396 1x02".
 * A number alone, and IMDb's link or number, need their kind beside them.
 */
import { fromImdb, fromTmdb, imdbId, positive } from "./ids.js";
import { placeIn } from "./titles.js";

/** @typedef {import("./ids.js").Named} Named */

const MOST = 2000;
const FILM = /^(?:movie|film|m)$/i;
const SERIES = /^(?:tv|show|series|serie|t)$/i;
const IMDB = /(?:https?:\/\/)?(?:[a-z]{1,3}\.)?imdb\.com\/\S+/i;
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
 * @returns {{imdb: string, rest: string} | null}
 */
function readImdb(text) {
  const link = IMDB.exec(text)?.[0];
  const imdb = link ? fromImdb(/^https?:/i.test(link) ? link : `https://${link}`) : imdbId(/^\s*(tt\d{1,12})(?![\p{L}\d])/iu.exec(text)?.[1]?.toLowerCase());
  return imdb ? { imdb, rest: text.replace(link ?? imdb, " ") } : null;
}

/**
 * @param {string} text
 * @param {"movie" | "tv" | "episode"} [as] the kind of a number that does not tell it; "episode" only for IMDb
 * @returns {import("../messages.js").Media | null} null when it says nothing certain; an episode without season and
 *   episode when it names a series alone
 */
export function identifyTyped(text, as) {
  if (typeof text !== "string" || text.length > MOST) return null;
  const imdb = LINK.test(text) ? null : readImdb(text);
  if (imdb) {
    if (as === "movie") return { type: "movie", ids: { imdb: imdb.imdb } };
    if (as === "episode") return { type: "episode", ids: { imdb: imdb.imdb } };
    const said = placeIn(imdb.rest);
    return as === "tv" ? ofSeries({ imdb: imdb.imdb }, said?.season, said?.episode) : null;
  }
  const { named, rest } = read(text);
  if (named?.kind === "movie") return { type: "movie", ids: { tmdb: named.tmdb } };
  if (named) {
    const said = placeIn(rest);
    return ofSeries({ tmdb: named.tmdb }, named.season ?? said?.season, named.episode ?? said?.episode);
  }
  const tmdb = positive(/^\s*#?(\d{1,16})\s*$/.exec(text)?.[1]);
  if (!tmdb) return null;
  if (as === "movie") return { type: "movie", ids: { tmdb } };
  return as === "tv" ? ofSeries({ tmdb }) : null;
}

/**
 * @param {import("../messages.js").Ids} ids of the series
 * @param {number} [season]
 * @param {number} [episode]
 * @returns {import("../messages.js").Media}
 */
function ofSeries(ids, season, episode) {
  return season !== undefined && episode !== undefined ? { type: "episode", show: { ids }, season, episode } : { type: "episode", show: { ids } };
}
