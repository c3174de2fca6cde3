/**
 * Identifies a film or an episode from the evidence of a page.
 *
 * The result is certain only with the identifier of TMDB for the film, or for
 * the series together with season and episode. Everything else is sent as
 * evidence: titles, numbers, ids of other services. Nothing is looked up or
 * guessed, and nothing is certain when sources contradict each other.
 */
import { certainId } from "./certain.js";
import { rules, ruleFor } from "../sites/index.js";
import { collectedEvidence } from "./evidence.js";
import { lean, texts, words } from "./ids.js";

/**
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Ids} Ids
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("./evidence.js").Collected} Collected
 * @typedef {import("./ids.js").Named} Named
 */

/**
 * A page or a session with checked types. ruled says that the site has a rule, so that other sources are not used.
 * @typedef {{url: string, title: string, ruled: boolean, evidence: any}} Page
 */

/**
 * Identifies what plays on a page.
 * @param {any} page a page or a session from a content script, not checked
 * @returns {Identified}
 */
export function identify(page) {
  const safe = checked(page);
  const found = collectedEvidence(safe);
  const evidence = asEvidence(found);
  const id = certainId(safe);
  const certain = agreed(id, found);
  if (certain) return { media: certain, certain: true, evidence: { ...evidence, ...placeOf(certain) } };
  return { media: likely(found, id), certain: false, evidence };
}

/**
 * Checks the types of a page.
 * @param {any} page a page or a session from a content script
 * @returns {Page}
 */
export function checked(page) {
  const { id, url, frameUrl, title, evidence } = page ?? {};
  const text = (/** @type {unknown} */ value, /** @type {number} */ most) => (typeof value === "string" ? value.slice(0, most) : "");
  const some = evidence && typeof evidence === "object" ? evidence : {};
  const ruled = Object.hasOwn(rules, String(some.site?.name)) || (id !== undefined && ruleFor(text(frameUrl ?? url, 4000)) !== null);
  return { url: text(url, 4000), title: text(title, 300), ruled, evidence: { ...some, links: texts(some.links) } };
}

/**
 * Converts to the fields of Identified, where the title of an episode is that of its series.
 * @param {Collected} found
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
 * Joins an identifier with the rest of the evidence.
 * @param {Named | null} id
 * @param {Collected} found
 * @returns {Media | null} null when they contradict each other, or when season or episode is unknown
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
 * Returns what is sent as evidence when nothing is certain.
 * @param {Collected} found
 * @param {Named | null} id the identifier on the page, which was not enough
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
 * @param {Collected} found
 * @param {number} [tmdb] of the film
 * @returns {Media}
 */
function movie({ title, year, ids, site }, tmdb) {
  return /** @type {Media} */ (lean({ type: "movie", ids: joined(tmdb, ids), title: words(title), year, site }));
}

/**
 * @param {Collected} found
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
