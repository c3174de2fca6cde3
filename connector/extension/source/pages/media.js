/** Names of films and episodes, and what of them may stand on a watchlist. */
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").WatchlistMedia} WatchlistMedia
 * @typedef {import("../messages.js").Sitting} Sitting
 */

/**
 * S01E02, or what of it is known.
 * @param {{season?: number, episode?: number}} of
 */
export function place({ season, episode }) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return (season === undefined ? "" : `S${two(season)}`) + (episode === undefined ? "" : `E${two(episode)}`);
}

/** @param {Media | WatchlistMedia} media */
export function nameOf(media) {
  if (media.type === "episode") {
    const show = media.show?.title ?? numbered("series", media.show?.ids?.tmdb) ?? media.title ?? media.show?.ids?.imdb ?? media.ids?.imdb ?? text("someEpisode");
    return [show, place(media)].filter(Boolean).join(" ");
  }
  const title = media.title ?? numbered(media.type, media.ids?.tmdb) ?? media.ids?.imdb ?? text("someFilm");
  return media.year ? `${title} (${media.year})` : title;
}

/**
 * @param {"movie" | "tv" | "series"} type
 * @param {number | undefined} id
 */
function numbered(type, id) {
  if (id === undefined) return undefined;
  return type === "movie" ? text("filmNumbered", id) : text("seriesNumbered", id);
}

/**
 * What a page plays, as far as the page says.
 * @param {Sitting} sitting
 */
export function seenTitle({ evidence, title, host }) {
  const { mediaSession, provider } = evidence;
  const [first] = evidence.jsonld;
  for (const candidate of [provider?.seriesTitle, first?.name, mediaSession?.title, title]) {
    if (typeof candidate === "string" && candidate.trim()) return candidate.trim();
  }
  return host;
}

/**
 * @param {Media} media
 * @returns {WatchlistMedia | null} null when nothing names it for certain
 */
export function forWatchlist(media) {
  const ids = media.type === "movie" ? media.ids : media.show?.ids;
  if (!ids || Object.keys(ids).length === 0) return null;
  const title = media.type === "movie" ? media.title : media.show?.title;
  return { type: media.type === "movie" ? "movie" : "tv", ids, ...(title && { title }) };
}

/**
 * Whether it says which episode; a film does.
 * @param {Media} media
 */
export function isWhole(media) {
  if (media.type === "movie" || media.ids?.tmdb !== undefined || media.ids?.imdb !== undefined) return true;
  return media.season !== undefined && media.episode !== undefined;
}
