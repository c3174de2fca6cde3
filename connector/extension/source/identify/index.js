/**
 * From what a page says to what was watched.
 *
 * Certain is only what carries themoviedb.org's own identifier for this very
 * film, or for the series together with season and episode. Everything else
 * is evidence: titles, numbers, ids of other services. Nothing is looked
 * up and nothing is guessed; sources that contradict each other leave the
 * matter open.
 */
import { certainId } from "./certain.js";
import { texts, words } from "./described.js";
import { gathered, lean } from "./gathered.js";

/**
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Ids} Ids
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("./gathered.js").Gathered} Gathered
 * @typedef {import("./ids.js").Named} Named
 */

/**
 * A page, or a sitting on one; see messages.js.
 * @typedef {{url: string, host: string, title: string, duration?: number, evidence: any}} Page
 */

/**
 * @param {Page} page
 * @returns {Identified}
 */
export function identify(page) {
  const safe = checked(page);
  const found = gathered(safe);
  const evidence = asEvidence(found);
  const id = certainId(safe.url, safe.evidence);
  const certain = agreed(id, found);
  if (certain) return { media: certain, certain: true, evidence: { ...evidence, ...placeOf(certain) } };
  return { media: likely(found, id), certain: false, evidence };
}

/**
 * @param {any} page foreign in all its parts
 * @returns {Page}
 */
function checked(page) {
  const { url, host, title, duration, evidence } = page ?? {};
  const text = (/** @type {unknown} */ value, /** @type {number} */ most) => (typeof value === "string" ? value.slice(0, most) : "");
  const some = evidence && typeof evidence === "object" ? evidence : {};
  const length = typeof duration === "number" ? { duration } : {};
  return { url: text(url, 4000), host: text(host, 253), title: text(title, 300), ...length, evidence: { ...some, links: texts(some.links) } };
}

/**
 * In the words of the pages: an episode's title is its series'.
 * @param {Gathered} found
 * @returns {Identified["evidence"]}
 */
function asEvidence({ kind, title, seriesTitle, season, episode, year, site }) {
  return lean({ kind, title: kind === "episode" ? seriesTitle : title, season, episode, year, site });
}

/**
 * @param {Media} media
 * @returns {Identified["evidence"]}
 */
function placeOf({ type, season, episode }) {
  return lean({ kind: type, season, episode });
}

/**
 * @param {Named | null} id
 * @param {Gathered} found
 * @returns {Media | null} null when the page contradicts the id, or leaves the episode open
 */
function agreed(id, found) {
  if (!id) return null;
  if (id.kind === "movie") return found.kind === "episode" ? null : movie(found, id.tmdb);
  if (found.kind === "movie") return null;
  const season = id.season ?? found.season;
  const episode = id.episode ?? found.episode;
  if (season === undefined || episode === undefined) return null;
  if (found.season !== undefined && (found.season !== season || found.episode !== episode)) return null;
  return episodeOf({ ...found, season, episode }, id.tmdb);
}

/**
 * What may be sent as evidence, for others to resolve.
 * @param {Gathered} found
 * @param {Named | null} id what the page names, which is not enough
 * @returns {Media | null}
 */
function likely(found, id) {
  const { kind, title, seriesTitle, season, episode, ids, showIds, site } = found;
  if (kind === "movie") return title || ids || site ? movie(found) : null;
  if (!kind && title && found.year !== undefined && id?.kind !== "tv") return movie(found); // "The Matrix (1999)" is how films are named
  if (kind !== "episode") return null;
  const placed = season !== undefined && episode !== undefined && (seriesTitle || showIds || site?.series);
  return placed || ids ? episodeOf(found) : null;
}

/**
 * @param {Gathered} found
 * @param {number} [tmdb] of the film
 * @returns {Media}
 */
function movie({ title, year, ids, site }, tmdb) {
  return /** @type {Media} */ (lean({ type: "movie", ids: joined(tmdb, ids), title: words(title), year, site }));
}

/**
 * @param {Gathered} found
 * @param {number} [tmdb] of the series
 * @returns {Media}
 */
function episodeOf({ title, seriesTitle, season, episode, ids, showIds, site }, tmdb) {
  const show = lean({ ids: joined(tmdb, showIds), title: words(seriesTitle) });
  const some = Object.keys(show).length > 0 ? show : undefined;
  return /** @type {Media} */ (lean({ type: "episode", ids: joined(undefined, ids), show: some, title: words(title), season, episode, site }));
}

/**
 * @param {number | undefined} tmdb
 * @param {Ids | undefined} others
 * @returns {Ids | undefined}
 */
function joined(tmdb, others) {
  const ids = lean({ tmdb, ...others });
  return Object.keys(ids).length > 0 ? ids : undefined;
}
