/**
 * What the user has said once, and when that is the answer again: for the site's
 * own number of a film or series, for an episode whose series has the same name
 * on the same site, for a film of the same name and year there, and else for the
 * very same page. An answer keeps
 * its kind and is never used for another.
 */
import { kindOf } from "../identify/kinds.js";

/**
 * @typedef {import("../messages.js").Identified["evidence"]} Evidence
 * @typedef {import("../messages.js").Known} Known
 * @typedef {import("../messages.js").Remembered} Remembered
 * @typedef {import("../messages.js").Media} Media
 */

/**
 * Where something played, as far as it is needed to recognise it.
 * @typedef {object} Where
 * @property {string} host
 * @property {Evidence} evidence
 * @property {string} [page] from pageKey()
 * @property {number} [duration] seconds
 */

/** Parts of an address that say where in a film it is, not which film. */
const PASSING = new Set(["t", "time", "start", "begin", "position", "pos", "resume", "quality", "autoplay", "volume"]);

/**
 * A number for a text, of 53 bits. The query of an address may hold secrets,
 * so it is not kept itself.
 * @param {string} text
 */
function numbered(text) {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36);
}

/**
 * The key of a page: its address, and what it says of the film in words. Many
 * films may play at one address, so all of that has to be the same again.
 * @param {{url: string, host: string, title?: string, evidence?: any}} sitting
 * @returns {string | undefined} undefined for what is no page
 */
export function pageKey({ url, host, title = "", evidence }) {
  try {
    const { pathname, searchParams, hash } = new URL(url);
    for (const name of [...searchParams.keys()]) {
      if (PASSING.has(name) || name.startsWith("utm_")) searchParams.delete(name);
    }
    const { title: song = "", artist = "", album = "" } = evidence?.mediaSession ?? {};
    const route = /^#!?\//.test(hash) ? hash : "";
    const said = [String(searchParams), route, title.replace(/^\(\d+\)\s*/, ""), song, artist, album];
    return `${host}|page|${pathname.slice(0, 500)}|${numbered(said.join("\n"))}`;
  } catch {
    return undefined;
  }
}

/**
 * @param {number | undefined} one seconds
 * @param {number | undefined} other seconds
 */
function sameLength(one, other) {
  return one !== undefined && other !== undefined && Math.abs(one - other) <= Math.max(1, other / 2000);
}

/**
 * @param {string} host
 * @param {Evidence} evidence
 * @returns {string | null} the key of the site's own number, where the page tells one
 */
function numberKey(host, { site, kind, season, episode }) {
  const is = kindOf({ kind, season, episode });
  const number = is === "episode" ? site?.series : is === "movie" && site?.title;
  return host && number ? `${host}|site|${is} ${number}` : null;
}

/**
 * @param {string} host
 * @param {Evidence} evidence
 * @returns {string | null} the key of its name, where the page tells one
 */
function nameKey(host, { title, year, kind, season, episode }) {
  if (!host || !title) return null;
  const name = title.trim().toLowerCase();
  if (kindOf({ kind, season, episode }) === "episode") return season === undefined || episode === undefined ? null : `${host}|${name}`;
  return kind === "movie" || year !== undefined ? `${host}|film|${name}|${year ?? ""}` : null;
}

/**
 * @param {Where} where
 * @param {Media} media what the user says it was, with season and episode
 * @param {string} about what the page was called, for the list of answers
 * @returns {{key: string, value: Remembered} | null} null when it could not be recognised again
 */
export function answerFor({ host, evidence, page, duration }, media, about) {
  const tv = media.type === "episode";
  const tmdb = tv ? media.show?.ids?.tmdb : media.ids?.tmdb;
  if (!tmdb) return null;
  const title = (tv ? media.show?.title : media.title) ?? "";
  /** @type {Remembered} */
  const value = { kind: tv ? "tv" : "movie", tmdb, title, about };
  const number = numberKey(host, evidence);
  const key = number ?? nameKey(host, evidence);
  const isEpisode = kindOf(evidence) === "episode";
  const { title: name, year, site } = evidence;
  const samePlace = media.season === evidence.season && media.episode === evidence.episode;
  if (key && (tv ? isEpisode && samePlace : !isEpisode)) {
    const by = number ? { site } : {};
    if (tv) return { key, value: { ...value, told: { type: "episode", ...(name && { show: { title: name } }), ...by } } };
    const named = name && year !== undefined ? { title: name, year } : {}; // less names too many
    return { key, value: number || named.title ? { ...value, told: { type: "movie", ...named, ...by } } : { ...value, duration } };
  }
  if (!page || duration === undefined) return null;
  const place = tv ? { season: media.season, episode: media.episode } : {};
  return { key: page, value: { ...value, ...place, duration } };
}

/**
 * @param {Known} known
 * @param {Where} where
 * @returns {{key: string, answer: Remembered} | null} the answer that is for this, if there is one
 */
export function recalled(known, { host, evidence, page, duration }) {
  const kind = kindOf(evidence);
  const at = (/** @type {string | null | undefined} */ key) => (key && Object.hasOwn(known, key) ? known[key] : undefined);
  const exact = at(page);
  if (page && exact && fitting(kind, exact) && sameLength(exact.duration, duration)) return { key: page, answer: exact };
  const number = numberKey(host, evidence);
  const numbered = at(number);
  if (number && numbered && fitting(kind, numbered)) return { key: number, answer: numbered };
  const key = nameKey(host, evidence);
  const named = at(key);
  if (!key || !named || named.kind !== (kind === "episode" ? "tv" : "movie")) return null;
  if (named.kind === "movie" && evidence.year === undefined && !sameLength(named.duration, duration)) return null;
  return { key, answer: named };
}

/**
 * @param {"movie" | "episode" | null} kind
 * @param {Remembered} answer
 */
const fitting = (kind, answer) => kind === null || (kind === "movie") === (answer.kind === "movie");

/**
 * The item that an answer stands for.
 * @param {Remembered} answer
 * @param {Evidence} evidence
 * @returns {Media | null} null when the episode is not told
 */
export function mediaOf({ kind, tmdb, title, season, episode }, evidence) {
  const named = title ? { title } : {};
  if (kind === "movie") return { type: "movie", ids: { tmdb }, ...named };
  const place = { season: season ?? evidence.season, episode: episode ?? evidence.episode };
  if (place.season === undefined || place.episode === undefined) return null;
  return { type: "episode", show: { ids: { tmdb }, ...named }, season: place.season, episode: place.episode };
}

/**
 * Only what can be used: the answers of earlier versions had no kind, and
 * nobody can tell whether their number is a film's or a series'.
 * @param {unknown} kept
 * @returns {Known}
 */
export function usable(kept) {
  if (!kept || typeof kept !== "object") return {};
  return Object.fromEntries(Object.entries(kept).filter(([, one]) => ["movie", "tv"].includes(one?.kind) && Number.isInteger(one?.tmdb)));
}
