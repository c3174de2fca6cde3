/** What content scripts say: a sitting has begun, or it counts as watched. */
import { isUUID, open, watched } from "./events.js";
import { isPaused } from "./settings.js";

/**
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {import("../messages.js").Known} Known
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("../messages.js").SittingAnswer} SittingAnswer
 * @typedef {import("../messages.js").WatchedAnswer} WatchedAnswer
 */

/**
 * @typedef {object} Parts
 * @property {() => Promise<Settings>} settings
 * @property {() => Promise<Known>} known
 * @property {(sitting: Sitting, known: Known) => Identified} identify
 * @property {(url: string) => string[]} serversFor
 * @property {(url: string) => Record<string, any> | null} ruleFor
 * @property {(sitting: Sitting, identified: Identified) => import("../messages.js").Seen} seen
 * @property {(video: import("./ignored.js").Video, certain: boolean) => Promise<"never" | "notFilm" | undefined>} unwanted
 * @property {{put(event: import("./outbox.js").Event): Promise<"kept" | "known" | "full">}} delivery
 * @property {{keep<T>(put: () => Promise<T>): Promise<T>}} [asking]
 * @property {import("./wrong.js").WrongBook} [wrong]
 * @property {import("./halfway.js").HalfwayBook} [halfway]
 * @property {import("./health.js").HealthBook} [health]
 */

/** RFC 3339 with an offset, which the daemon asks for. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** @param {unknown} text at most 40 characters, which is the daemon's bound */
const isInstant = (text) => typeof text === "string" && text.length <= 40 && INSTANT.test(text);

/**
 * @param {any} sitting
 * @returns {sitting is Sitting}
 */
function isSitting(sitting) {
  const texts = [sitting?.url, sitting?.host, sitting?.title];
  return isUUID(sitting?.id) && texts.every((text) => typeof text === "string") && typeof sitting.evidence === "object" && sitting.evidence !== null;
}

/**
 * What the popup says of a sitting is said by the user, and counts while
 * paused or private too.
 * @param {Parts} parts
 * @param {unknown} message
 * @param {{byUser?: boolean, around?: (sitting: Sitting) => Promise<Sitting>}} [how] around: adds what the page around
 *   a frame knows
 * @returns {Promise<SittingAnswer | WatchedAnswer | null>}
 */
export async function fromContent(parts, message, { byUser = false, around = async (sitting) => sitting } = {}) {
  const { kind, sitting, page, halfway } = /** @type {Record<string, any>} */ (message);
  if (kind === "left") return left(parts, halfway);
  if (!isSitting(sitting)) return kind === "watched" ? { kept: false, reason: "malformed" } : null;
  if (kind === "sitting") return begun(parts, await around(sitting), page, byUser);
  if (kind !== "watched") return null;
  if (!isInstant(sitting.at)) return { kept: false, reason: "malformed" };
  if (!byUser && isPaused(await parts.settings())) return { kept: false, reason: "paused" };
  return keep(parts, await around(sitting), byUser);
}

/**
 * @param {Parts} parts
 * @param {Sitting} sitting
 * @param {unknown} page its name, for what was left half way there
 * @param {boolean} byUser
 * @returns {Promise<SittingAnswer>}
 */
async function begun({ settings, known, identify, serversFor, ruleFor, halfway, health, wrong, seen, unwanted }, sitting, page, byUser) {
  const now = await settings();
  const found = identify(sitting, await known());
  const { media, certain } = (await wrong?.has(sitting.id)) ? { media: null, certain: false } : found;
  const { title } = seen(sitting, found);
  const why = await unwanted(video(sitting, title), certain);
  const record = !isPaused(now) && why !== "never";
  if (record && !why) await health?.note(sitting, certain).catch(() => {}); // no viewing depends on it
  const resume = record ? await halfway?.find(page, sitting.duration).catch(() => null) : null;
  const answer = {
    record, rule: now.rule, servers: serversFor(sitting.frameUrl ?? sitting.url), site: ruleFor(sitting.frameUrl ?? sitting.url), identified: media, certain,
    ...(why && { why }), ...(byUser && { seen: { title, host: sitting.host } }),
  };
  return resume ? { ...answer, resume } : answer;
}

/**
 * @param {Sitting} sitting
 * @param {string} title the best name that was seen
 */
const video = ({ host, url, duration }, title) => ({ host, title, address: url, duration });

/**
 * @param {Parts} parts
 * @param {unknown} noted how far a sitting got
 * @returns {Promise<null>}
 */
async function left({ settings, halfway, health }, noted) {
  if (isPaused(await settings())) return null;
  await halfway?.keep(noted).catch(() => {}); // a lost note loses no event
  const { id, spans } = /** @type {import("../messages.js").Halfway} */ (noted ?? {});
  if (Array.isArray(spans)) await health?.go(id, spans.reduce((sum, [from, to]) => sum + to - from, 0)).catch(() => {});
  return null;
}

/**
 * @param {Parts} parts
 * @param {Sitting} sitting
 * @param {boolean} byUser what the user marks is kept in any case
 * @returns {Promise<WatchedAnswer>}
 */
async function keep({ settings, known, identify, delivery, halfway, health, asking, wrong, seen, unwanted }, sitting, byUser) {
  try {
    const found = identify(sitting, await known());
    const names = seen(sitting, found);
    const doubted = (await wrong?.has(sitting.id)) ?? false;
    const why = byUser ? undefined : await unwanted(video(sitting, names.title), found.certain && !doubted);
    if (why) return { kept: false, reason: why };
    await health?.note(sitting, found.certain).catch(() => {}); // no viewing depends on it
    const event = doubted ? open(sitting, asked(found), { seen: names, mistaken: isMistaken(found) }) : watched(sitting, found, await settings(), names);
    const put = () => delivery.put(event);
    const fate = await (event.ask && asking ? asking.keep(put) : put());
    if (fate === "full") return { kept: false, reason: "full" };
    await halfway?.drop(sitting.id).catch(() => {}); // it runs out by itself
    return { kept: true };
  } catch {
    return { kept: false, reason: "storage" };
  }
}

/**
 * Whether it was the page itself, and no earlier answer, that named what the
 * user says is wrong.
 * @param {Identified} found
 */
export const isMistaken = ({ certain, key }) => certain && !key;

/**
 * What is still believed of a page after the user has said "Not this". A page
 * that named the wrong item itself may be wrong about all of it.
 * @param {Identified} found
 * @returns {Identified["evidence"]}
 */
export const asked = (found) => (isMistaken(found) ? {} : found.evidence);
