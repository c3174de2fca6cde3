/** Handles the messages of content scripts about sessions: begun, playing, left half way, watched. */
import { isUUID, playingMessage, viewingEvent } from "./events.js";
import { isPaused } from "./settings.js";

/**
 * @typedef {import("../messages.js").SessionReport} SessionReport
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("../messages.js").SessionAnswer} SessionAnswer
 * @typedef {import("../messages.js").WatchedAnswer} WatchedAnswer
 */

/**
 * @typedef {object} Options
 * @property {() => Promise<Settings>} settings
 * @property {(session: SessionReport) => Identified} identify
 * @property {(url: string) => string[]} serversFor
 * @property {(url: string) => Record<string, any> | null} ruleFor
 * @property {(session: SessionReport, identified: Identified) => import("../messages.js").Seen} seen
 * @property {{put(event: import("./outbox.js").Event): Promise<"kept" | "known" | "full">, tell(message: import("./socket.js").Message): Promise<void>}} delivery
 * @property {import("./halfway.js").HalfwayBook} halfway
 * @property {import("./health.js").HealthBook} health
 */

/** RFC 3339 with an offset, in at most 40 characters, as the daemon requires. */
const INSTANT = /^(?=.{1,40}$)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * @param {any} session
 * @returns {session is SessionReport}
 */
function isSession(session) {
  const texts = [session?.url, session?.host, session?.title];
  return isUUID(session?.id) && texts.every((text) => typeof text === "string") && typeof session.evidence === "object" && session.evidence !== null;
}

/**
 * Handles a message about a session. Messages of the popup come from the user,
 * and are accepted also while recording is paused or private mode is on.
 * @param {Options} options
 * @param {any} message
 * @param {(session: SessionReport) => Promise<SessionReport>} complete adds what the page around a frame says
 * @param {boolean} byUser
 * @returns {Promise<SessionAnswer | WatchedAnswer | null>}
 */
export async function fromContent(options, { kind, session, page, halfway, state }, complete, byUser) {
  const paused = !byUser && isPaused(await options.settings());
  switch (kind) {
    case "left":
      if (!paused) await options.halfway.keep(halfway).catch(() => {}); // only progress is lost, no event
      return null;
    case "session":
      return isSession(session) ? begun(options, await complete(session), page, byUser) : null;
    case "playing":
      if (isSession(session)) await tell(options, await complete(session), paused ? "ended" : state);
      return null;
    case "watched":
      if (!isSession(session) || !INSTANT.test(session.at)) return { kept: false, reason: "malformed" };
      return paused ? { kept: false, reason: "paused" } : keep(options, await complete(session));
    default:
      return null;
  }
}

/**
 * Answers a session that has begun.
 * @param {Options} options
 * @param {SessionReport} session
 * @param {unknown} page its name, to find saved progress
 * @param {boolean} byUser
 * @returns {Promise<SessionAnswer>}
 */
async function begun({ settings, identify, serversFor, ruleFor, halfway, seen }, session, page, byUser) {
  const now = await settings();
  const found = identify(session);
  const record = !isPaused(now);
  const resume = record ? await halfway.find(page, session.duration).catch(() => null) : null;
  const at = session.frameUrl ?? session.url;
  return {
    record, rule: now.rule, servers: serversFor(at), site: ruleFor(at), identified: found.media, certain: found.certain,
    ...(byUser && { seen: { title: seen(session, found).title, host: session.host } }),
    ...(resume && { resume }),
  };
}

/**
 * Reports to the daemon what plays. The message is not stored: without a daemon it is lost.
 * @param {Options} options
 * @param {SessionReport} session
 * @param {unknown} state
 */
async function tell({ identify, delivery, seen }, session, state) {
  const found = identify(session);
  const message = playingMessage(session, found, seen(session, found), state);
  if (message) await delivery.tell(message);
}

/**
 * Stores a session that counts as watched.
 * @param {Options} options
 * @param {SessionReport} session
 * @returns {Promise<WatchedAnswer>}
 */
async function keep({ identify, delivery, halfway, health, seen }, session) {
  try {
    const found = identify(session);
    await health.count(session, found.certain).catch(() => {}); // a failure must not prevent the viewing
    if ((await delivery.put(viewingEvent(session, found, seen(session, found)))) === "full") return { kept: false, reason: "full" };
    await halfway.drop(session.id).catch(() => {}); // it expires by itself
    return { kept: true };
  } catch {
    return { kept: false, reason: "storage" };
  }
}
