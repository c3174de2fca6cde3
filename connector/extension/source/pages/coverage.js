/**
 * Which names and schemes a site covers. A site is typed by the user, or it is
 * the address of a page. Everything here is pure.
 */

/**
 * @typedef {object} Group the patterns of one site, as the options list them
 * @property {string} name without www.
 * @property {string[]} hosts the names that it covers
 * @property {string[]} schemes "https" first
 * @property {string[]} origins all patterns
 * @property {string[]} withdrawn the patterns that the browser does not grant any more
 * @property {string[]} missing patterns of the other of the two names, www. or bare
 */

const PATTERN = /^(\*|https?):\/\/(\*|(?:\*\.)?[^/*]+)\/\*$/i;

/**
 * Whether a name is one that only a home knows. Nobody certifies such names,
 * so https is rare there.
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
 * @returns {string[]} the name without and with www., where a site has both as a rule
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
 * The match patterns of what the user has typed: a name, *.name for all that
 * end in it, or the address of any of its pages. Patterns have no port.
 *
 * It covers the name with and without www. It covers https, and also http
 * where http was typed, or where no scheme was typed and the name is a home's.
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
 * @returns {string | null} the pattern of its very site; null when it is no page of the web
 */
export function siteOf(address) {
  if (!address || !/^https?:/i.test(address)) return null;
  const site = parsed(address);
  return site && !site.wide ? `${site.scheme}://${site.host}/*` : null;
}

/**
 * The name of a pattern, for people.
 * @param {string} pattern
 */
export const siteName = (pattern) => PATTERN.exec(pattern)?.[2] ?? pattern;

/**
 * What to type for a pattern, so that at least this pattern is covered.
 * @param {string} pattern
 */
export const siteTyped = (pattern) => (coverage(siteName(pattern))?.includes(pattern) ? siteName(pattern) : pattern.replace(/\/\*$/, ""));

/**
 * @param {string} pattern
 * @param {string[]} granted
 * @returns {boolean} whether a wider pattern has it already
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
  /** @type {Map<string, {origin: string, granted: boolean}[]>} */
  const groups = new Map();
  for (const site of sites) {
    const name = siteName(site.origin).replace(/^www\./i, "");
    groups.set(name, [...(groups.get(name) ?? []), site]);
  }
  const granted = sites.filter((site) => site.granted).map(({ origin }) => origin);
  return [...groups].map(([name, members]) => group(name, members, granted));
}

/**
 * @param {string} name
 * @param {{origin: string, granted: boolean}[]} members
 * @param {string[]} granted everywhere
 * @returns {Group}
 */
function group(name, members, granted) {
  const origins = members.map(({ origin }) => origin);
  const schemes = [...new Set(origins.map((origin) => PATTERN.exec(origin)?.[1]).filter((scheme) => scheme !== undefined))].sort().reverse();
  const hosts = [...new Set(origins.map(siteName))].sort((one, other) => one.length - other.length);
  const open = members.filter((one) => one.granted).map(({ origin }) => PATTERN.exec(origin)?.[1]);
  const wanted = hosts.some((host) => host.includes("*")) ? [] : both(hosts[0]).flatMap((host) => [...new Set(open)].map((scheme) => `${scheme}://${host}/*`));
  return {
    name, hosts, schemes, origins,
    withdrawn: members.filter((one) => !one.granted).map(({ origin }) => origin),
    missing: wanted.filter((one) => !origins.includes(one) && !within(one, granted)),
  };
}
