/**
 * What the user does not want to be asked about: sites ("Never here") and
 * single videos ("Not a film"). Kept in storage.local under "ignored".
 *
 * A video is known again by its name on its site. Where the page has no name
 * for it, it is known by the page's address and its length; of these only a
 * hash is kept.
 */
import { isEmptyName } from "../identify/names.js";

/**
 * @typedef {import("../messages.js").Ignored} Ignored
 * @typedef {{host: string, title: string, address?: string, duration: number}} Video title is the best name that was seen
 */

/** @type {typeof chrome} */
const api = globalThis.browser ?? globalThis.chrome;

const MOST = 1000;

/** Parts of an address that say where in a video it is, not which video. */
const PASSING = /^(?:t|time|start|begin|position|pos|resume|quality|autoplay|volume|utm_.*)$/;

/** @returns {Promise<Ignored>} */
export async function loadIgnored() {
  const { ignored } = await api.storage.local.get("ignored");
  const { sites, films } = /** @type {any} */ (ignored ?? {});
  return { sites: Array.isArray(sites) ? sites : [], films: Array.isArray(films) ? films : [] };
}

/** @type {Promise<unknown>} changes happen one after the other */
let last = Promise.resolve();

/** @param {(ignored: Ignored) => Ignored} to */
function change(to) {
  const done = last.then(async () => {
    const { sites, films } = to(await loadIgnored());
    await api.storage.local.set({ ignored: { sites: sites.slice(-MOST), films: films.slice(-MOST) } });
  });
  last = done.catch(() => {});
  return done;
}

/** @param {string} host */
export const bareHost = (host) => host.toLowerCase().replace(/^www\./, "");

/** @param {string} host */
export const never = (host) => change(({ sites, films }) => ({ sites: [...new Set([...sites, bareHost(host)])], films }));

/** @param {Video} video */
export async function notFilm(video) {
  const key = await keyOf(video);
  const entry = { key, title: video.title, host: video.host };
  await change(({ sites, films }) => ({ sites, films: [...films.filter((one) => one.key !== key), entry] }));
}

/** @param {string} key a site's name, or the key of a video */
export const takeBack = (key) =>
  change(({ sites, films }) => ({ sites: sites.filter((site) => site !== key), films: films.filter((film) => film.key !== key) }));

/**
 * @param {Video} video
 * @returns {Promise<string>}
 */
export async function keyOf({ host, title, address, duration }) {
  const site = bareHost(host);
  if (!isEmptyName(title, host) && title !== host) return `${site}|${title.toLowerCase()}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${site} ${plain(address)} ${Math.round(duration)}`));
  return `${site}|#${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {string | undefined} address */
function plain(address = "") {
  if (!URL.canParse(address)) return address;
  const { origin, pathname, searchParams, hash } = new URL(address);
  const kept = [...searchParams].filter(([name]) => !PASSING.test(name));
  return JSON.stringify([origin, pathname, kept, /^#!?\//.test(hash) ? hash : ""]);
}

/**
 * @param {Video} video
 * @param {boolean} certain such a one is never asked about
 * @returns {Promise<"never" | "notFilm" | undefined>} why it shall not be counted
 */
export async function unwanted(video, certain) {
  const { sites, films } = await loadIgnored();
  if (sites.includes(bareHost(video.host))) return "never";
  if (certain || films.length === 0) return undefined;
  const key = await keyOf(video);
  return films.some((film) => film.key === key) ? "notFilm" : undefined;
}
