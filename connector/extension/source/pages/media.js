/** Names of films and episodes, and what of them may stand on a watchlist. */
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").WatchlistMedia} WatchlistMedia
 */

/**
 * S01E02, or what of it is known.
 * @param {{season?: number, episode?: number}} of
 */
function place({ season, episode }) {
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
 * @param {Media} media
 * @returns {WatchlistMedia | null} null when nothing names it
 */
export function forWatchlist({ type, ids, show, title, year }) {
  const work = type === "movie" ? { ids, title, year } : { ids: show?.ids, title: show?.title };
  if (!work.title && Object.keys(work.ids ?? {}).length === 0) return null;
  return { type: type === "movie" ? "movie" : "tv", ...work };
}
