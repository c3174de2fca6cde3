/**
 * Makes the events of the outbox from sessions, and from what the user adds to the watchlist. The functions are pure:
 * the same session always makes the same event, so that it can be sent again.
 */

/**
 * @typedef {import("../messages.js").SessionReport} SessionReport
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").WatchlistMedia} WatchlistMedia
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("../messages.js").Seen} Seen
 * @typedef {import("../messages.js").Ids} Ids
 * @typedef {import("./outbox.js").Event} Event
 */

import { withoutSite } from "../identify/names.js";

/** The most characters that the daemon accepts in a text. */
const MAX_TEXT = 1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @param {unknown} id */
export const isUUID = (id) => typeof id === "string" && UUID.test(id);

/**
 * @param {string | undefined} text
 * @returns {string | undefined} cut to MAX_TEXT; undefined when it is empty
 */
const short = (text) => (text ? [...text].slice(0, MAX_TEXT).join("") : undefined);

/** Rounds to tenths of a second. @param {unknown} n */
const seconds = (n) => (typeof n === "number" && n >= 0 && Number.isFinite(n) ? Math.round(n * 10) / 10 : 0);

/**
 * Removes empty fields: the protocol has no null.
 * @template {Record<string, any>} T
 * @param {T} object
 * @returns {T}
 */
function lean(object) {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return /** @type {T} */ (Object.fromEntries(entries));
}

/**
 * @param {Ids | undefined} ids
 * @returns {Ids | undefined}
 */
function leanIds(ids) {
  const some = lean({ tmdb: ids?.tmdb, imdb: ids?.imdb, tvdb: ids?.tvdb });
  return Object.keys(some).length > 0 ? some : undefined;
}

/**
 * Keeps only the fields of the protocol that are not empty.
 * @template {Media | WatchlistMedia} T
 * @param {T} media
 * @returns {T}
 */
export function leanMedia(media) {
  const { type, ids, show, title, year, season, episode, site } = /** @type {Media} */ (media);
  const series = show && lean({ ids: leanIds(show.ids), title: short(show.title), year: show.year });
  const some = lean({ type, ids: leanIds(ids), show: series, title: short(title), year, season, episode, site });
  return /** @type {T} */ (some);
}

/**
 * Names a film or episode for people: "The Matrix (1999)", "Breaking Bad S01E02".
 * @param {Media | WatchlistMedia} media
 */
export function label(media) {
  const { type, ids, show, title, year, season, episode } = /** @type {Media} */ (media);
  const known = show?.ids ?? ids;
  const name = (type === "episode" ? show?.title : title) ?? title ?? known?.imdb ?? `TMDB ${known?.tmdb ?? "?"}`;
  if (type !== "episode") return year ? `${name} (${year})` : name;
  if (season === undefined || episode === undefined) return name;
  return `${name} S${String(season).padStart(2, "0")}E${String(episode).padStart(2, "0")}`;
}

/**
 * Removes query and fragment of an address, because they may contain secrets.
 * @param {string} url
 */
function plainUrl(url) {
  try {
    const { protocol, origin, pathname } = new URL(url);
    return /^https?:$/.test(protocol) ? (origin + pathname).slice(0, 2000) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns what to send for a session. What is not identified is sent with the
 * best name that was seen, without a year, so that it is never taken as certain.
 * A name that is only that of the site is left out.
 * @param {SessionReport} session
 * @param {Identified} identified
 * @param {Seen} seen
 * @returns {Media}
 */
function asSeen({ host }, { media, certain, evidence }, { title, name }) {
  if (media && (certain || media.title || media.show?.title)) return media;
  const { kind = "movie", season, episode, site } = evidence;
  const named = short(name ?? (media || title === host || !withoutSite(title, host) ? undefined : title));
  if (media) return lean({ ...media, title: named });
  return kind === "episode" ? { type: kind, show: { title: named }, season, episode, site } : { type: kind, title: named, site };
}

/**
 * @param {SessionReport} session
 * @param {Identified} identified
 * @param {Seen} seen
 * @returns {Event}
 */
export function viewingEvent(session, identified, seen) {
  const { id, at } = session;
  const media = leanMedia(asSeen(session, identified, seen));
  const progress = { position: seconds(session.position), duration: seconds(session.duration), played: seconds(session.played) };
  const source = lean({ site: short(session.host) ?? "", url: plainUrl(session.url) });
  const title = media.title || media.show?.title ? label(media) : seen.title;
  return { id, state: "waiting", title, at, message: { type: "viewing", id, media, watchedAt: at, progress, source } };
}

/**
 * Makes the message about what plays now, or that it has ended.
 * @param {SessionReport} session
 * @param {Identified} identified
 * @param {Seen} seen
 * @param {unknown} state
 * @returns {import("./socket.js").Message | null} null when there is no title
 */
export function playingMessage(session, identified, seen, state) {
  if (state !== "playing" && state !== "paused") return { type: "playing", session: session.id, state: "ended" };
  const media = leanMedia(asSeen(session, identified, seen));
  if (!media.title && !media.show?.title) return null;
  const { position, duration } = session;
  return { type: "playing", session: session.id, state, media, position: seconds(position), duration: seconds(duration), source: { site: short(session.host) ?? "" } };
}

/**
 * @param {string} id
 * @param {string} at
 * @param {WatchlistMedia} media
 * @returns {Event}
 */
export function watchlistEvent(id, at, media) {
  const some = leanMedia(media);
  return { id, state: "waiting", title: label(some), at, message: { type: "watchlist", id, media: some } };
}
