/** Everything the pages show, put together. */
import { loadIgnored } from "./ignored.js";
import { places } from "./places.js";
import { isPaused, loadSettings } from "./settings.js";
import { listSites } from "./sites.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rejected} Rejected
 * @typedef {import("../messages.js").Unknown} Unknown
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
 * By what the user may recognise it.
 * @param {import("./outbox.js").Draft | undefined} draft
 */
const looks = (draft) => ({
  names: draft?.seen?.names ?? [],
  ...(draft?.seen?.guess && { guess: draft.seen.guess }),
  ...(draft?.address && { address: draft.address }),
  played: draft?.progress.played ?? 0,
  duration: draft?.progress.duration ?? 0,
});

/**
 * @param {Event} event
 * @returns {import("../messages.js").Discarded}
 */
const discarded = ({ id, title, at, draft }) => ({ id, title, at, host: draft?.source.site ?? "" });

/**
 * @param {Event} event
 * @returns {Unknown}
 */
const unknown = ({ id, title, at, draft, ask, candidates }) => ({
  ...looks(draft),
  id,
  title,
  at,
  host: draft?.source.site ?? "",
  kind: draft?.evidence.kind ?? null,
  evidence: draft?.evidence ?? {},
  ...(ask && ask.tries > 0 && { later: true }),
  ...(candidates && { candidates }),
});

/**
 * The service is being asked what it was, for the first time: the user need
 * not be, perhaps.
 * @param {Event} event
 */
const fresh = ({ ask }) => ask?.tries === 0 && !ask.open;

/**
 * What the user has to look at: what was not recognised, and what was refused.
 * @param {import("./outbox.js").Outbox} outbox
 */
async function toAnswer(outbox) {
  const unknown = await outbox.list("unknown");
  return unknown.filter((event) => !fresh(event));
}

/**
 * How many viewings wait for the user.
 * @param {import("./outbox.js").Outbox} outbox
 */
export async function countToAnswer(outbox) {
  const { rejected, unknown } = await outbox.count();
  return rejected + (unknown > 0 ? (await toAnswer(outbox)).length : 0);
}

/** How many of the latest are shown to be taken back. */
const MOST_RECENT = 5;

/**
 * The latest viewings that can be taken back, the latest first.
 * @param {import("./outbox.js").Outbox} outbox
 */
async function recent(outbox) {
  const waiting = (await outbox.latest("waiting", MOST_RECENT)).filter(({ message }) => message?.type === "viewing");
  const all = [...waiting, ...(await outbox.recent()).reverse()].slice(0, MOST_RECENT);
  return all.map(({ id, title, at }) => ({ id, title, at }));
}

/**
 * @param {object} parts
 * @param {import("./outbox.js").Outbox} parts.outbox
 * @param {import("./link.js").Info} parts.info
 * @param {import("../messages.js").DaemonStatus | null} parts.daemon
 * @param {import("../messages.js").Pairing | undefined} parts.pairing
 * @param {import("./health.js").HealthBook} parts.health
 * @returns {Promise<State>}
 */
export async function compose({ outbox, info, daemon, pairing, health }) {
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
      unknown: (await toAnswer(outbox)).slice(0, MOST_SHOWN).map(unknown),
    },
    recent: await recent(outbox),
    settings,
    sites: await listSites(),
    places: await places(health),
    ignored: { ...(await loadIgnored()), discarded: (await outbox.bin()).map(discarded) },
    paused: isPaused(settings),
  };
}
