/** What the grid "Where do you watch?" offers, and how each of it stands. Everything here is pure. */
import { rules, servers } from "../sites/index.js";
import { coverage, within } from "./coverage.js";

/**
 * @typedef {object} Place
 * @property {string} name of its rule
 * @property {string} label
 * @property {string[]} hosts names of its pages, or *.name for all that end in it
 * @property {string} [seen] the day on which its rule was last known to hold, as 2026-11-22
 *
 * @typedef {object} Standing
 * @property {"all" | "some" | "none"} allowed how much of the place the browser allows
 * @property {string[]} missing the patterns that it does not allow, all of them when it allows everything
 * @property {string[]} own the patterns that were allowed for this place, and that can be taken back alone
 */

/** The sites with a rule. @type {Place[]} */
export const PLACES = Object.entries(rules).map(([name, { label, hosts, seen }]) => ({ name, label, hosts, seen }));

/** Programs on a computer of the user's own, with an address as it looks there. */
export const SERVERS = Object.entries(servers).map(([name, { label, example }]) => ({ name, label, example }));

/**
 * The match patterns of a place, all asked for at once.
 * @param {Place} place
 */
export const patterns = ({ hosts }) => [...new Set(hosts.flatMap((host) => coverage(host) ?? []))];

/**
 * @param {Place} place
 * @param {{origin: string, granted: boolean}[]} sites
 * @returns {Standing}
 */
export function standing(place, sites) {
  const granted = sites.filter((site) => site.granted).map(({ origin }) => origin);
  const all = patterns(place);
  const missing = all.filter((pattern) => !within(pattern, granted));
  const allowed = missing.length === 0 ? "all" : missing.length < all.length ? "some" : "none";
  return { allowed, missing: missing.length > 0 ? missing : all, own: all.filter((pattern) => sites.some(({ origin }) => origin === pattern)) };
}

/**
 * Whether a place is meant by what is typed into the search.
 * @param {{label: string, hosts?: string[]}} place
 * @param {string} typed
 */
export function isMeant({ label, hosts = [] }, typed) {
  const plain = (/** @type {string} */ text) => text.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}+]/gu, "");
  return [label, ...hosts].some((name) => plain(name).includes(plain(typed)));
}
