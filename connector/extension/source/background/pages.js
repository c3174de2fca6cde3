/** What popup and options ask for. */
import { added, identified, isUUID, listed, wished } from "./events.js";
import { LinkProblem } from "./problem.js";
import { fault, isAddress } from "./settings.js";

/**
 * @typedef {import("../messages.js").FromPage} FromPage
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {import("../messages.js").Known} Known
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("./outbox.js").Event} Event
 */

/**
 * @typedef {object} Parts
 * @property {() => Promise<State>} state
 * @property {() => Promise<Settings>} settings
 * @property {(settings: Settings) => Promise<void>} saveSettings
 * @property {(key: string, value: {tmdb: number, title: string}) => Promise<void>} remember
 * @property {(host: string, evidence: Identified["evidence"]) => string | null} knownKey
 * @property {(text: string) => Media | null} typed
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./link.js").Link} link
 * @property {import("./deliver.js").Delivery} delivery
 * @property {() => Promise<void>} forget the pairing
 * @property {{grant(origin: string): Promise<void>, ungrant(origin: string): Promise<void>}} sites
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
    case "identify":
      return identify(parts, message);
    case "again":
      return again(parts, message.id);
    case "discard":
      return discard(parts, message.id);
    case "identifyText":
      return Promise.resolve(parts.typed(String(message.text)));
    case "grant":
      return parts.sites.grant(message.origin).then(() => done);
    case "ungrant":
      return parts.sites.ungrant(message.origin).then(() => done);
    default:
      return take(parts, message);
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
 * An event by hand.
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<Answer>}
 */
async function take({ delivery }, message) {
  const id = crypto.randomUUID();
  const at = new Date().toISOString();
  /** @type {Event} */
  let event;
  if (message.kind === "add") event = added(id, message.media, message.watchedAt);
  else if (message.kind === "watchlist") event = wished(id, at, message.media, message.priority);
  else if (message.kind === "list") event = listed(id, at, message);
  else return { ok: false, code: "UNKNOWN_TYPE", message: "No such request." };
  if ((await delivery.put(event)) === "full") return { ok: false, code: "FULL", message: "Too much is waiting already; it could not be kept." };
  return { ok: true, id };
}

/**
 * The media of another episode or film of what the user has named once.
 * @param {Identified["evidence"]} evidence
 * @param {{tmdb: number, title: string}} known
 * @returns {Media | null}
 */
function alike({ season, episode, kind }, { tmdb, title }) {
  if (kind === "movie") return { type: "movie", ids: { tmdb }, title };
  if (season === undefined || episode === undefined) return null;
  return { type: "episode", show: { ids: { tmdb }, title }, season, episode };
}

/**
 * @param {Parts} parts
 * @param {{id: string, media: Media, remember: boolean}} wish
 * @returns {Promise<Answer>}
 */
async function identify(parts, { id, media, remember }) {
  const { outbox, delivery, knownKey, changed } = parts;
  const unknown = await outbox.list("unknown");
  const event = unknown.find((each) => each.id === id);
  if (!event?.draft) return { ok: false, code: "NOT_FOUND", message: "It is not here any more." };
  await delivery.add(() => outbox.identify(id, (now) => identified(now, media)));
  const key = knownKey(event.draft.source.site, event.draft.evidence);
  const tmdb = media.type === "episode" ? media.show?.ids?.tmdb : media.ids?.tmdb;
  if (remember && key && tmdb) {
    const value = { tmdb, title: (media.type === "episode" ? media.show?.title : media.title) ?? event.draft.evidence.title ?? "" };
    await parts.remember(key, value);
    await rest(parts, unknown.filter((each) => each !== event), key, value);
  }
  changed();
  void delivery.wake();
  return done;
}

/**
 * The same answer for all others that are waiting for it.
 * @param {Parts} parts
 * @param {Event[]} unknown
 * @param {string} key
 * @param {{tmdb: number, title: string}} value
 */
async function rest({ outbox, delivery, knownKey }, unknown, key, value) {
  for (const { id, draft } of unknown) {
    if (!draft || knownKey(draft.source.site, draft.evidence) !== key) continue;
    const media = alike(draft.evidence, value);
    if (media) await delivery.add(() => outbox.identify(id, (now) => identified(now, media)));
  }
}

/**
 * @param {Parts} parts
 * @param {string} id
 */
async function again({ outbox, delivery, changed }, id) {
  await delivery.add(() => outbox.again(id));
  changed();
  void delivery.wake({ force: true });
  return done;
}

/**
 * @param {Parts} parts
 * @param {string} id
 * @returns {Promise<Answer>}
 */
async function discard({ outbox, changed }, id) {
  const was = isUUID(id) && (await outbox.remove(id, ["unknown", "rejected"]));
  changed();
  return was ? done : { ok: false, code: "NOT_FOUND", message: "It is not here any more." };
}
