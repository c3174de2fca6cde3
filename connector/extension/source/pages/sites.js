/**
 * Handles sites as match patterns: which names and schemes a site covers, which sites the
 * grid "Where do you watch?" offers, and which are allowed. All functions are pure.
 */
import { rules, servers } from "../sites/index.js";

/**
 * @typedef {object} Group the patterns of one site, as the options list them
 * @property {string} name without www.
 * @property {string[]} hosts the names that it covers
 * @property {string[]} schemes "https" first
 * @property {string[]} origins all patterns
 * @property {string[]} withdrawn the patterns that the browser does not grant any more
 * @property {string[]} missing patterns of the same name with or without www.
 */

const PATTERN = /^(\*|https?):\/\/(\*|(?:\*\.)?[^/*]+)\/\*$/i;

/**
 * Reports whether a host is in a home network. Such hosts cannot get public
 * certificates, so https is rare there.
 * @param {string} host
 */
export function isHome(host) {
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i.test(host);
  const [a, b] = isIPv4(host) ? host.split(".").map(Number) : [];
  if (a !== undefined) {
    return a === 10 || a === 127 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31) || (a === 169 && b === 254) || (a === 100 && b >= 64 && b <= 127);
  }
  return !host.includes(".") || /\.(?:lan|local)$|(?:^|\.)home\.arpa$/i.test(host);
}

/** @param {string} host */
const isIPv4 = (host) => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);

/**
 * @param {string} host
 * @returns {string[]} the name without and with www., when sites of this form usually have both
 */
function both(host) {
  if (isHome(host) || isIPv4(host) || host.startsWith("[")) return [host];
  const bare = host.replace(/^www\./i, "");
  if (!bare.includes(".")) return [host];
  // films.example and films.co.uk have a www., player.films.example has none.
  const usual = /^[^.]+\.[^.]+$/.test(bare) || /^[^.]+\.[^.]{2,3}\.[^.]{2}$/.test(bare);
  return usual || bare !== host ? [bare, `www.${bare}`] : [host];
}

/**
 * @param {string} typed
 * @returns {{scheme: "" | "https" | "http", host: string, wide: boolean} | null} scheme is "" when none was typed
 */
function parsed(typed) {
  const trimmed = typed.trim();
  const wide = /^(?:(https?):\/\/)?\*\.(.+)$/i.exec(trimmed);
  const [, scheme = "", rest = ""] = wide ? ["", wide[1] ?? "", wide[2]] : (/^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(trimmed) ?? []);
  const lower = scheme.toLowerCase();
  if ((lower !== "" && lower !== "https" && lower !== "http") || /\s/.test(rest)) return null;
  const address = `${lower || "https"}://${rest}`;
  if (!URL.canParse(address)) return null;
  const { hostname } = new URL(address);
  if (!/^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/i.test(hostname)) return null;
  if (isIPv4(hostname) && !rest.includes(hostname)) return null; // a number alone is no site
  return { scheme: lower, host: hostname, wide: wide !== null };
}

/**
 * Returns the match patterns for what the user has typed: a name, *.name for all
 * its subdomains, or the address of any page. Patterns have no port.
 *
 * They cover the name with and without www. They cover https, and also http when
 * http was typed, or when no scheme was typed for a host in a home network.
 * @param {string} typed
 * @returns {string[] | null} null when it is no site
 */
export function coverage(typed) {
  const site = parsed(typed);
  if (!site) return null;
  const plain = site.scheme === "http" || (site.scheme === "" && isHome(site.host));
  const names = site.wide ? [`*.${site.host}`] : both(site.host);
  return names.flatMap((name) => (plain ? ["https", "http"] : ["https"]).map((scheme) => `${scheme}://${name}/*`));
}

/**
 * @param {string | undefined} address of a page
 * @returns {string | null} the pattern of its scheme and host; null when it is no web page
 */
export function siteOf(address) {
  if (!address || !/^https?:/i.test(address)) return null;
  const site = parsed(address);
  return site && !site.wide ? `${site.scheme}://${site.host}/*` : null;
}

/**
 * Returns the host of a pattern, for people.
 * @param {string} pattern
 */
export const siteName = (pattern) => PATTERN.exec(pattern)?.[2] ?? pattern;

/**
 * Returns what to type so that coverage() includes the pattern.
 * @param {string} pattern
 */
export const siteTyped = (pattern) => (coverage(siteName(pattern))?.includes(pattern) ? siteName(pattern) : pattern.replace(/\/\*$/, ""));

/**
 * @param {string} pattern
 * @param {string[]} granted
 * @returns {boolean} whether one of the granted patterns includes it
 */
export function within(pattern, granted) {
  const [, scheme, host = ""] = PATTERN.exec(pattern) ?? [];
  return granted.some((one) => {
    if (one === pattern || one === "<all_urls>") return true;
    const [, theirs, wide = ""] = PATTERN.exec(one) ?? [];
    const named = wide === "*" || (wide.startsWith("*.") && (host === wide.slice(2) || host.endsWith(wide.slice(1))));
    return named && (theirs === "*" || theirs === scheme);
  });
}

/**
 * @param {{origin: string, granted: boolean}[]} sites
 * @returns {Group[]} in the order in which the sites came
 */
export function grouped(sites) {
  const granted = sites.filter((site) => site.granted).map(({ origin }) => origin);
  const nameOf = (/** @type {{origin: string}} */ { origin }) => siteName(origin).replace(/^www\./i, "");
  return [...new Set(sites.map(nameOf))].map((name) => {
    const members = sites.filter((site) => nameOf(site) === name);
    const origins = members.map(({ origin }) => origin);
    const schemeOf = (/** @type {string} */ origin) => PATTERN.exec(origin)?.[1] ?? "";
    const hosts = [...new Set(origins.map(siteName))].sort((one, other) => one.length - other.length);
    const withdrawn = members.filter((one) => !one.granted).map(({ origin }) => origin);
    const open = new Set(origins.filter((origin) => !withdrawn.includes(origin)).map(schemeOf));
    const wanted = hosts.some((host) => host.includes("*")) ? [] : both(hosts[0]).flatMap((host) => [...open].map((scheme) => `${scheme}://${host}/*`));
    return {
      name, hosts, origins, withdrawn,
      schemes: [...new Set(origins.map(schemeOf))].sort().reverse(),
      missing: wanted.filter((one) => !origins.includes(one) && !within(one, granted)),
    };
  });
}

/**
 * @typedef {object} Place
 * @property {string} name of its rule
 * @property {string} label
 * @property {string[]} hosts names of its pages, or *.name for all that end in it
 * @property {string} [seen] the day on which its rule was last known to hold, as 2026-11-22
 *
 * @typedef {object} Standing
 * @property {"all" | "some" | "none"} allowed how many of its patterns the browser allows
 * @property {string[]} missing the patterns that are not allowed; all patterns when all are allowed
 * @property {string[]} own the patterns that were allowed one by one, so that they can be removed one by one
 */

/** The sites with a rule. @type {Place[]} */
export const PLACES = Object.entries(rules).map(([name, { label, hosts, seen }]) => ({ name, label, hosts, seen }));

/** Media servers, with an example of an address. */
export const SERVERS = Object.entries(servers).map(([name, { label, example }]) => ({ name, label, example }));

/**
 * Returns the match patterns of a place.
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
 * Reports whether a place matches what is typed into the search.
 * @param {{label: string, hosts?: string[]}} place
 * @param {string} typed
 */
export function isMeant({ label, hosts = [] }, typed) {
  const plain = (/** @type {string} */ text) => text.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}+]/gu, "");
  return [label, ...hosts].some((name) => plain(name).includes(plain(typed)));
}
