/** What content scripts say: a sitting has begun, or it counts as watched. */
import { isUUID, watched } from "./events.js";
import { isPaused } from "./settings.js";

/**
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("../messages.js").SittingAnswer} SittingAnswer
 * @typedef {import("../messages.js").WatchedAnswer} WatchedAnswer
 */

/**
 * @typedef {object} Options
 * @property {() => Promise<Settings>} settings
 * @property {(sitting: Sitting) => Identified} identify
 * @property {(url: string) => string[]} serversFor
 * @property {(url: string) => Record<string, any> | null} ruleFor
 * @property {(sitting: Sitting, identified: Identified) => import("../messages.js").Seen} seen
 * @property {{put(event: import("./outbox.js").Event): Promise<"kept" | "known" | "full">}} delivery
 * @property {import("./halfway.js").HalfwayBook} halfway
 * @property {import("./health.js").HealthBook} health
 */

/** RFC 3339 with an offset, in at most 40 characters, as the daemon asks for it. */
const INSTANT = /^(?=.{1,40}$)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

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
 * @param {Options} options
 * @param {any} message
 * @param {(sitting: Sitting) => Promise<Sitting>} complete adds what the page around a frame knows
 * @param {boolean} byUser
 * @returns {Promise<SittingAnswer | WatchedAnswer | null>}
 */
export async function fromContent(options, { kind, sitting, page, halfway }, complete, byUser) {
  const paused = !byUser && isPaused(await options.settings());
  switch (kind) {
    case "left":
      if (!paused) await options.halfway.keep(halfway).catch(() => {}); // no event is lost with it
      return null;
    case "sitting":
      return isSitting(sitting) ? begun(options, await complete(sitting), page, byUser) : null;
    case "watched":
      if (!isSitting(sitting) || !INSTANT.test(sitting.at)) return { kept: false, reason: "malformed" };
      return paused ? { kept: false, reason: "paused" } : keep(options, await complete(sitting));
    default:
      return null;
  }
}

/**
 * @param {Options} options
 * @param {Sitting} sitting
 * @param {unknown} page its name, for what was left half way there
 * @param {boolean} byUser
 * @returns {Promise<SittingAnswer>}
 */
async function begun({ settings, identify, serversFor, ruleFor, halfway, seen }, sitting, page, byUser) {
  const now = await settings();
  const found = identify(sitting);
  const record = !isPaused(now);
  const resume = record ? await halfway.find(page, sitting.duration).catch(() => null) : null;
  const at = sitting.frameUrl ?? sitting.url;
  return {
    record, rule: now.rule, servers: serversFor(at), site: ruleFor(at), identified: found.media, certain: found.certain,
    ...(byUser && { seen: { title: seen(sitting, found).title, host: sitting.host } }),
    ...(resume && { resume }),
  };
}

/**
 * @param {Options} options
 * @param {Sitting} sitting
 * @returns {Promise<WatchedAnswer>}
 */
async function keep({ identify, delivery, halfway, health, seen }, sitting) {
  try {
    const found = identify(sitting);
    await health.count(sitting, found.certain).catch(() => {}); // no viewing depends on it
    if ((await delivery.put(watched(sitting, found, seen(sitting, found)))) === "full") return { kept: false, reason: "full" };
    await halfway.drop(sitting.id).catch(() => {}); // it runs out by itself
    return { kept: true };
  } catch {
    return { kept: false, reason: "storage" };
  }
}
