/** Everything the pages show, put together. */
import { isPaused, loadSettings } from "./settings.js";
import { listSites } from "./sites.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rejected} Rejected
 * @typedef {import("./outbox.js").Event} Event
 */

/** More than that nobody reads at once; the rest shows when these are settled. */
const MOST_SHOWN = 500;

/**
 * @param {Event} event
 * @returns {Rejected}
 */
const rejected = ({ id, title, at, error }) => ({ id, title, at, code: error?.code ?? "", message: error?.message ?? "" });

/**
 * @param {object} parts
 * @param {import("./outbox.js").Outbox} parts.outbox
 * @param {import("./link.js").Info} parts.info
 * @param {import("../messages.js").DaemonStatus | null} parts.daemon
 * @param {import("../messages.js").Pairing | undefined} parts.pairing
 * @returns {Promise<State>}
 */
export async function compose({ outbox, info, daemon, pairing }) {
  const settings = await loadSettings();
  const { waiting, full } = await outbox.count();
  return {
    link: {
      ...info,
      state: pairing ? info.state : "unpaired",
      pairedLabel: pairing ? pairing.label || pairing.clientId : null,
      address: settings.address,
    },
    daemon,
    outbox: {
      waiting,
      full,
      rejected: (await outbox.list("rejected", MOST_SHOWN)).map(rejected),
    },
    settings,
    sites: await listSites(),
    paused: isPaused(settings),
  };
}
