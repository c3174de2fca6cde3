/**
 * The sites whose pages say more than any page does. An adapter is data, and
 * names where its facts come from.
 */
import { imdbId, ordinal, parse } from "./ids.js";
import { words } from "./described.js";
import emby from "./sites/emby.js";
import imdb from "./sites/imdb.js";
import jellyfin from "./sites/jellyfin.js";
import letterboxd from "./sites/letterboxd.js";
import plex from "./sites/plex.js";
import stremio from "./sites/stremio.js";
import themoviedb from "./sites/themoviedb.js";
import trakt from "./sites/trakt.js";

/**
 * @typedef {object} Adapter
 * @property {string} site
 * @property {string} source where the facts come from
 * @property {RegExp} [host] absent: any host, for servers that people run themselves
 * @property {RegExp} [path] of the page; absent: any
 * @property {RegExp[]} [address] read from the whole address, decoded; groups: kind, imdb, showImdb, season, episode
 * @property {Record<string, {selector: string, attribute?: string}>} [pick] what the content script picks from the page
 * @property {string} [provider] the server's API that the content script may ask
 */

/** @type {Adapter[]} */
export const adapters = [themoviedb, letterboxd, imdb, trakt, stremio, plex, jellyfin, emby];

/**
 * @param {string} href
 * @returns {Adapter | null}
 */
export function adapterFor(href) {
  const url = parse(href);
  if (!url) return null;
  return adapters.find(({ host, path }) => (!host || host.test(url.hostname)) && (!path || path.test(url.pathname))) ?? null;
}

/**
 * What the content script needs of the adapter.
 * @param {string} href
 * @returns {{site: string, pick?: Adapter["pick"], providers?: string[]} | null}
 */
export function pickupFor(href) {
  const found = adapterFor(href);
  if (!found) return null;
  const { site, pick } = found;
  const url = /** @type {URL} */ (parse(href));
  const servers = adapters.filter(({ provider, path }) => provider && path?.test(url.pathname)).map(({ provider }) => provider);
  const providers = /** @type {string[]} */ (found.provider ? servers : []);
  if (!pick && providers.length === 0) return null;
  return { site, ...(pick ? { pick } : {}), ...(providers.length > 0 ? { providers } : {}) };
}

/** @param {string} href */
function decoded(href) {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/**
 * @param {string} href
 * @returns {import("./gathered.js").Gathered}
 */
export function fromAddress(href) {
  const address = decoded(href).slice(0, 4000);
  for (const form of adapterFor(href)?.address ?? []) {
    const groups = form.exec(address)?.groups;
    if (!groups) continue;
    const season = ordinal(groups.season, 0) ?? undefined;
    const episode = ordinal(groups.episode, 1) ?? undefined;
    if (season !== undefined && episode !== undefined) {
      const show = imdbId(groups.showImdb);
      return { kind: "episode", season, episode, ...(show ? { showIds: { imdb: show } } : {}) };
    }
    const film = imdbId(groups.imdb);
    if (groups.kind === "movie") return { kind: "movie", ...(film ? { ids: { imdb: film } } : {}) };
  }
  return {};
}

/**
 * @param {string} href
 * @param {any} pickup what the content script picked by the adapter
 * @returns {import("./gathered.js").Gathered}
 */
export function fromPickup(href, pickup) {
  if (!adapterFor(href)?.pick || !pickup || typeof pickup !== "object") return {};
  const dated = /^(.{1,300}) \(((?:18|19|20)\d\d)\)$/.exec(words(pickup.nameAndYear) ?? "");
  return dated ? { title: dated[1], year: Number(dated[2]) } : {};
}
