/** Answers the messages of the popup and the options. */
import { isUUID, watchlistEvent } from "./events.js";
import { areValid, isAddress } from "./settings.js";
import { LinkProblem } from "./socket.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("../messages.js").Settings} Settings
 */

/**
 * @typedef {object} Options
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

/** Handlers by kind of message. Each returns an error code, or "" or nothing on success. @type {Record<string, (options: Options, message: any) => Promise<string | void>>} */
const acts = {
  async pair({ settings, saveSettings, link, delivery }, { code, label, address }) {
    if (!isAddress(address)) return "ADDRESS";
    await link.pair({ code, label, address });
    await saveSettings({ ...(await settings()), address });
    await delivery.wake({ force: true });
    return "";
  },

  async unpair({ forget, link }) {
    await forget();
    link.unpaired();
  },

  async settings({ settings, saveSettings, link, delivery }, { settings: wanted }) {
    if (!areValid(wanted)) return "SETTINGS";
    const { address } = await settings();
    await saveSettings(wanted);
    if (address !== wanted.address) {
      link.drop(new LinkProblem("ready"));
      void delivery.wake({ force: true });
    }
    return "";
  },

  retry: ({ delivery }) => delivery.wake({ force: true }),

  async watchlist({ delivery }, { media }) {
    const result = await delivery.put(watchlistEvent(crypto.randomUUID(), new Date().toISOString(), media));
    return result === "full" ? "FULL" : "";
  },

  async again({ outbox, delivery }, { id }) {
    if (!isUUID(id) || !(await delivery.add(() => outbox.again(id)))) return "NOT_FOUND";
    void delivery.wake({ force: true });
    return "";
  },

  async discard({ outbox }, { id }) {
    return isUUID(id) && (await outbox.remove(id, "rejected")) ? "" : "NOT_FOUND";
  },

  grant: ({ sites }, { origins }) => sites.grant(origins),

  ungrant: ({ sites }, { origins }) => sites.ungrant(origins),
};

/**
 * Answers a message of a page: with the state, or with the result of its handler.
 * @param {Options} options
 * @param {any} message
 * @returns {Promise<State | Answer>}
 */
export async function fromPage(options, message) {
  if (message.kind === "state") return look(options);
  try {
    const code = Object.hasOwn(acts, message.kind) ? await acts[message.kind](options, message) : "UNKNOWN_TYPE";
    options.changed();
    return code ? { ok: false, code } : { ok: true };
  } catch (error) {
    return { ok: false, code: error instanceof LinkProblem ? error.code : "INTERNAL" };
  }
}

/**
 * Returns the state as it is known now, and connects to the daemon. What that brings is announced with "changed".
 * @param {Options} options
 */
async function look({ state, delivery, link }) {
  const now = await state();
  if (!link.connected && now.link.state !== "unpaired") void delivery.wake();
  return now;
}
