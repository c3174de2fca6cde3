/** What the user does not want: one question, all of them, a video, a site. */
import { isUUID } from "./events.js";
import { bareHost, keyOf, never, notFilm, takeBack } from "./ignored.js";

/**
 * @typedef {import("../messages.js").FromPage} FromPage
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("./outbox.js").Event} Event
 * @typedef {{outbox: import("./outbox.js").Outbox, changed: () => void}} Parts
 */

/** @type {Answer} */
const done = { ok: true };

/** @type {Answer} */
const gone = { ok: false, code: "NOT_FOUND", message: "It is not here any more." };

/**
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<Answer> | null} null when it asks for something else
 */
export function dismiss({ outbox, changed }, message) {
  const told = async (/** @type {Promise<unknown>} */ act) => {
    const was = await act;
    changed();
    return was === false || was === 0 ? gone : done;
  };
  switch (message.kind) {
    case "discard":
      return told(outbox.discard([message.id].filter(isUUID)));
    case "discardAll":
      return told(outbox.discard(Array.isArray(message.ids) ? message.ids.filter(isUUID) : []));
    case "restore":
      return told(outbox.restore(String(message.id)));
    case "emptyBin":
      return told(outbox.emptyBin());
    case "never":
      return told(neverHere(outbox, String(message.host).slice(0, 253)));
    case "notFilm":
      return told(noFilm(outbox, message.id));
    case "takeBack":
      return told(takeBack(String(message.key)));
    default:
      return null;
  }
}

/** @param {Event} event */
const videoOf = ({ title, draft }) => ({
  host: draft?.source.site ?? "", title: draft?.seen?.title ?? title, address: draft?.address, duration: draft?.progress.duration ?? 0,
});

/**
 * Nothing more is asked about the site, and its open questions are discarded.
 * @param {import("./outbox.js").Outbox} outbox
 * @param {string} host
 */
async function neverHere(outbox, host) {
  await never(host);
  const open = await outbox.list("unknown");
  await outbox.discard(open.filter((event) => bareHost(videoOf(event).host) === bareHost(host)).map(({ id }) => id));
}

/**
 * The video is not asked about again, and its open questions are discarded.
 * @param {import("./outbox.js").Outbox} outbox
 * @param {string} id
 * @returns {Promise<boolean>} whether it was there
 */
async function noFilm(outbox, id) {
  const open = await outbox.list("unknown");
  const event = open.find((each) => each.id === id);
  if (!event) return false;
  await notFilm(videoOf(event));
  const key = await keyOf(videoOf(event));
  const keys = await Promise.all(open.map((each) => keyOf(videoOf(each))));
  await outbox.discard(open.filter((_, i) => keys[i] === key).map((each) => each.id));
  return true;
}
