/**
 * The sites that the user has allowed. The browser keeps the permissions; we
 * keep which sites were asked for, and register the content scripts for what
 * is granted and for nothing else.
 */
import { contentFiles } from "./content.js";

/** @type {typeof chrome} */
const api = globalThis.browser ?? globalThis.chrome;

/** A match pattern for pages: a scheme, a host or *, and all paths. */
const PATTERN = /^(?:https?|\*):\/\/(?:\*|(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?\/\*$/i;

/** @returns {Promise<string[]>} */
async function asked() {
  const { sites } = await api.storage.local.get("sites");
  return Array.isArray(sites) ? sites.filter((site) => typeof site === "string") : [];
}

/** @returns {Promise<string[]>} */
async function granted() {
  const { origins = [] } = await api.permissions.getAll();
  return origins;
}

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

/** @type {Promise<void>} */
let registering = Promise.resolve();

/** Makes what is registered equal to what is granted. One run at a time. */
export function registerAll() {
  registering = registering.then(reconcile, reconcile);
  return registering;
}

async function reconcile() {
  const want = contentFiles.length > 0 ? (await granted()).map(script) : [];
  const have = (await api.scripting.getRegisteredContentScripts()).map(({ id }) => id);
  const ids = want.map(({ id }) => id);
  const surplus = have.filter((id) => !ids.includes(id));
  if (surplus.length > 0) await api.scripting.unregisterContentScripts({ ids: surplus });
  const fresh = want.filter(({ id }) => !have.includes(id));
  const stale = want.filter(({ id }) => have.includes(id));
  if (fresh.length > 0) await api.scripting.registerContentScripts(fresh);
  if (stale.length > 0) await api.scripting.updateContentScripts(stale); // the files may be those of an older version
}

/**
 * Takes note of a site that the user has just allowed, and begins in its open
 * tabs at once.
 * @param {string} origin
 */
export async function grant(origin) {
  if (!PATTERN.test(origin)) throw new Error("This is not the address of a site.");
  if (!(await api.permissions.contains({ origins: [origin] }))) throw new Error("The browser has not allowed this site.");
  await api.storage.local.set({ sites: [...new Set([...(await asked()), origin])] });
  await registerAll();
  if (contentFiles.length === 0) return;
  const tabs = await api.tabs.query({ url: origin });
  await Promise.allSettled(
    tabs.map(({ id }) => api.scripting.executeScript({ target: { tabId: /** @type {number} */ (id), allFrames: true }, files: contentFiles })),
  );
}

/** @param {string} origin */
export async function ungrant(origin) {
  await api.storage.local.set({ sites: (await asked()).filter((site) => site !== origin) });
  await api.permissions.remove({ origins: [origin] }).catch(() => false); // it may be gone already
  await registerAll();
}
