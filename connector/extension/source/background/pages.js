/** What popup and options ask for. */
import { isUUID, wished } from "./events.js";
import { LinkProblem } from "./problem.js";
import { fault, isAddress } from "./settings.js";

/**
 * @typedef {import("../messages.js").FromPage} FromPage
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("../messages.js").Settings} Settings
 */

/**
 * @typedef {object} Parts
 * @property {() => Promise<State>} state
 * @property {() => Promise<Settings>} settings
 * @property {(settings: Settings) => Promise<void>} saveSettings
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./link.js").Link} link
 * @property {import("./deliver.js").Delivery} delivery
 * @property {() => Promise<void>} forget the pairing
 * @property {{grant(origins: unknown): Promise<void>, ungrant(origins: unknown): Promise<void>}} sites
 * @property {() => void} changed
 */

/** @type {Answer} */
const done = { ok: true };

/**
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<any>}
 */
export async function fromPage(parts, message) {
  try {
    return await handle(parts, message);
  } catch (error) {
    if (error instanceof LinkProblem) return { ok: false, code: error.code, message: error.message };
    return { ok: false, code: "INTERNAL", message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<any>}
 */
function handle(parts, message) {
  switch (message.kind) {
    case "state":
      return look(parts);
    case "pair":
      return pair(parts, message);
    case "unpair":
      return unpair(parts);
    case "settings":
      return change(parts, message.settings);
    case "retry":
      return retry(parts);
    case "again":
      return again(parts, message.id);
    case "discard":
      return discard(parts, message.id);
    case "watchlist":
      return wish(parts, message.media);
    case "grant":
      return parts.sites.grant(message.origins).then(() => done);
    case "ungrant":
      return parts.sites.ungrant(message.origins).then(() => done);
    default:
      return Promise.resolve({ ok: false, code: "UNKNOWN_TYPE", message: "No such request." });
  }
}

/**
 * Whoever looks at a page wants to know how things stand now, so the daemon
 * is asked too; the answer comes with "changed".
 * @param {Parts} parts
 */
async function look({ state, delivery, link }) {
  const now = await state();
  if (!link.connected && now.link.state !== "unpaired") void delivery.wake();
  return now;
}

/**
 * @param {Parts} parts
 * @param {{code: string, label: string, address: string}} wish
 * @returns {Promise<Answer>}
 */
async function pair({ settings, saveSettings, link, delivery, changed }, { code, label, address }) {
  if (!isAddress(address)) return { ok: false, code: "ADDRESS", message: fault({ address }) };
  await link.pair({ code: String(code).slice(0, 40), label: String(label ?? "").slice(0, 80), address });
  await saveSettings({ ...(await settings()), address });
  await delivery.wake({ force: true });
  changed();
  return done;
}

/** @param {Parts} parts */
async function unpair({ forget, link, changed }) {
  await forget();
  link.unpaired();
  changed();
  return done;
}

/**
 * @param {Parts} parts
 * @param {Settings} wish
 * @returns {Promise<Answer>}
 */
async function change({ settings, saveSettings, link, delivery, changed }, wish) {
  const message = fault(wish);
  if (message) return { ok: false, code: "SETTINGS", message };
  const before = await settings();
  await saveSettings(wish);
  if (before.address !== wish.address) {
    link.drop(new LinkProblem("waiting", "MOVED", ""));
    void delivery.wake({ force: true });
  }
  changed();
  return done;
}

/** @param {Parts} parts */
async function retry({ delivery, changed }) {
  await delivery.wake({ force: true });
  changed();
  return done;
}

/**
 * @param {Parts} parts
 * @param {import("../messages.js").WatchlistMedia} media
 * @returns {Promise<Answer>}
 */
async function wish({ delivery }, media) {
  const fate = await delivery.put(wished(crypto.randomUUID(), new Date().toISOString(), media));
  return fate === "full" ? { ok: false, code: "FULL", message: "Too much is waiting already; it could not be kept." } : done;
}

/** @type {Answer} */
const gone = { ok: false, code: "NOT_FOUND", message: "It is not here any more." };

/**
 * Sends a refused entry again.
 * @param {Parts} parts
 * @param {string} id
 * @returns {Promise<Answer>}
 */
async function again({ outbox, delivery, changed }, id) {
  if (!isUUID(id) || !(await delivery.add(() => outbox.again(id)))) return gone;
  changed();
  void delivery.wake({ force: true });
  return done;
}

/**
 * Drops a refused entry.
 * @param {Parts} parts
 * @param {string} id
 * @returns {Promise<Answer>}
 */
async function discard({ outbox, changed }, id) {
  if (!isUUID(id) || !(await outbox.remove(id, ["rejected"]))) return gone;
  changed();
  return done;
}
