/**
 * Manages the sites that the user has allowed. The browser stores the
 * permissions, storage.local the sites that were ever allowed. Content scripts
 * are registered only for sites with a permission.
 */
import { api } from "../api.js";
import { contentFiles } from "./content.js";

/** A match pattern for pages: a scheme, a host or *, and all paths. */
const PATTERN = /^(?:https?|\*):\/\/(?:\*|(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?\/\*$/i;

/** @returns {Promise<string[]>} the sites that were ever allowed */
async function asked() {
  const { sites } = await api.storage.local.get("sites");
  return Array.isArray(sites) ? sites.filter((site) => typeof site === "string") : [];
}

/** @returns {Promise<string[]>} the sites with a permission */
const granted = async () => (await api.permissions.getAll()).origins ?? [];

/** @returns {Promise<{origin: string, granted: boolean}[]>} */
export async function listSites() {
  const open = await granted();
  const all = [...new Set([...(await asked()), ...open])].sort();
  return all.map((origin) => ({ origin, granted: open.includes(origin) }));
}

/** @param {string} origin */
function script(origin) {
  return {
    id: `site ${origin}`,
    matches: [origin],
    js: contentFiles,
    allFrames: true,
    matchOriginAsFallback: true,
    runAt: /** @type {const} */ ("document_start"),
    persistAcrossSessions: true,
  };
}

/** @type {Promise<unknown>} the last change */
let last = Promise.resolve();

/**
 * Runs one change at a time.
 * @template T
 * @param {() => Promise<T>} change
 * @returns {Promise<T>}
 */
function next(change) {
  const done = last.then(change, change);
  last = done.catch(() => {});
  return done;
}

/** Registers the content scripts for exactly the sites with a permission. */
export const registerAll = () => next(reconcile);

/** @returns {Promise<boolean>} whether a site was not registered before */
async function reconcile() {
  const open = await granted();
  const want = open.map(script);
  const have = (await api.scripting.getRegisteredContentScripts()).map(({ id }) => id);
  const ids = want.map(({ id }) => id);
  const surplus = have.filter((id) => !ids.includes(id));
  if (surplus.length > 0) await api.scripting.unregisterContentScripts({ ids: surplus });
  const fresh = want.filter(({ id }) => !have.includes(id));
  const stale = want.filter(({ id }) => have.includes(id));
  if (fresh.length > 0) await api.scripting.registerContentScripts(fresh);
  if (stale.length > 0) await api.scripting.updateContentScripts(stale); // they may be those of an older version
  return fresh.length > 0;
}

/**
 * Stores sites that the browser has just allowed, and starts the content
 * scripts in their open tabs. The browser reports new permissions even when the
 * page that has asked is gone: its question closes the popup.
 * @param {string[]} origins
 */
export function begin(origins) {
  return next(async () => {
    const before = await asked();
    const all = [...new Set([...before, ...origins.filter((origin) => PATTERN.test(origin))])];
    if (all.length > before.length) await api.storage.local.set({ sites: all });
    if (!(await reconcile())) return;
    // The site may be that of a frame in a page of any allowed site.
    const tabs = await api.tabs.query({ url: await granted() });
    await Promise.allSettled(tabs.map(({ id }) => enter(/** @type {number} */ (id))));
  });
}

/** Runs in a frame: reports whether the content scripts run there already. */
const started = () => Boolean(globalThis.filmspool?.started);

/**
 * Runs the scripts in the frames of a tab that do not have them yet.
 * @param {number} tabId
 */
async function enter(tabId) {
  const frames = await api.scripting.executeScript({ target: { tabId, allFrames: true }, func: started });
  const frameIds = frames.filter(({ result }) => !result).map(({ frameId }) => frameId);
  if (frameIds.length > 0) await api.scripting.executeScript({ target: { tabId, frameIds }, files: contentFiles });
}

/**
 * Handles sites that a page of the extension has asked the browser for.
 * @param {unknown} origins
 */
export async function grant(origins) {
  if (!arePatterns(origins) || !(await api.permissions.contains({ origins }))) throw new Error("the browser has not allowed this site");
  await begin(origins);
}

/** Removes sites and their permissions. @param {unknown} origins */
export async function ungrant(origins) {
  const gone = Array.isArray(origins) ? origins.map(String) : [];
  await next(async () => {
    await api.storage.local.set({ sites: (await asked()).filter((site) => !gone.includes(site)) });
    for (const origin of gone) await api.permissions.remove({ origins: [origin] }).catch(() => false); // it may be gone already
    await reconcile();
  });
}

/**
 * @param {unknown} origins
 * @returns {origins is string[]}
 */
function arePatterns(origins) {
  return Array.isArray(origins) && origins.length > 0 && origins.every((origin) => typeof origin === "string" && PATTERN.test(origin));
}
