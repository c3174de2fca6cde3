/** The tab in front, and what its frames tell. */
import { api } from "./api.js";
import { siteOf } from "./coverage.js";

/**
 * @typedef {import("../messages.js").NowAnswer} NowAnswer
 * @typedef {import("../messages.js").Outlook} Outlook
 *
 * @typedef {object} Front
 * @property {string | null} site as a match pattern; null when the tab shows no page of the web
 * @property {boolean} allowed
 * @property {boolean} audible
 * @property {string} title
 * @property {number} [tab]
 *
 * @typedef {object} Around
 * @property {string} player the site of the largest player in a frame that is not allowed; "" when there is none
 * @property {Outlook["why"]} why the largest video that plays is not counted
 * @property {number} [least] seconds
 */

/** @returns {Promise<Front>} */
export async function front() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  const site = siteOf(tab?.url);
  const allowed = site !== null && (await api.permissions.contains({ origins: [site] }));
  return { site, allowed, audible: tab?.audible ?? false, title: tab?.title ?? "", tab: tab?.id };
}

/**
 * @param {number} tab
 * @returns {Promise<NowAnswer | undefined>} undefined when the page does not know us
 */
export async function hear(tab) {
  try {
    return (await api.tabs.sendMessage(tab, { kind: "now" })) ?? null;
  } catch {
    return undefined;
  }
}

/** For a frame: what it tells of itself, if our scripts are there. */
const told = () => globalThis.filmspool?.whyNotCounted?.() ?? null;

/**
 * Asks all frames of a tab into which we may look.
 * @param {number} tab
 * @returns {Promise<Around>}
 */
export async function survey(tab) {
  const frames = await api.scripting.executeScript({ target: { tabId: tab, allFrames: true }, func: told }).catch(() => []);
  const outlooks = /** @type {Outlook[]} */ (frames.map(({ result }) => result).filter(Boolean));
  const players = outlooks.flatMap(({ players }) => players).sort((one, other) => other.area - one.area);
  const { why, least } = outlooks.find((one) => one.why !== undefined) ?? {};
  for (const { site } of players) {
    if (!(await api.permissions.contains({ origins: [site] }))) return { player: site, why, least };
  }
  return { player: "", why, least };
}
