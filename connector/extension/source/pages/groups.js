/** The questions in the order in which they are shown, put together where one answer serves several. */
import { isEmptyName } from "../identify/names.js";

/** @typedef {import("../messages.js").Unknown} Unknown */

/**
 * @typedef {object} Card
 * @property {string} key the same as long as the card is about the same
 * @property {Unknown[]} viewings the latest first; at least one
 */

/** @param {string} host */
const site = (host) => host.toLowerCase().replace(/^www\./, "");

/**
 * What stands together: a series on a site, a film on a site.
 * @param {Unknown} unknown
 */
function family({ host, title, evidence, guess }) {
  const name = evidence.title ?? guess?.series ?? (isEmptyName(title, host) ? "" : title);
  return `${site(host)}|${name.trim().toLowerCase()}`;
}

/**
 * What one answer serves: viewings of one film, or episodes of one series of
 * which each page has told its own place. A name alone is not enough.
 * @param {Unknown} unknown
 */
function answer(unknown) {
  const { id, evidence: { kind, title, year, season, episode } } = unknown;
  if (!title) return id;
  if (kind === "movie") return `film|${family(unknown)}|${year ?? ""}`;
  return kind === "episode" && season !== undefined && episode !== undefined ? `series|${family(unknown)}` : id;
}

/**
 * @template T
 * @param {T[]} all
 * @param {(one: T) => string} key
 * @returns {[string, T[]][]} in the order of each key's first
 */
function by(all, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return [...groups];
}

/**
 * The latest first; what is of one series on one site stands together.
 * @param {Unknown[]} unknowns
 * @returns {Card[]}
 */
export function cards(unknowns) {
  const latest = [...unknowns].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return by(latest, family).flatMap(([, members]) => by(members, answer).map(([key, viewings]) => ({ key, viewings })));
}
