/** The pages' side of the talk with the background, and with the browser about permissions. */
import { api } from "../api.js";
import { siteName } from "./sites.js";
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").FromPage} FromPage
 * @typedef {import("../messages.js").FromContent} FromContent
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("../messages.js").State} State
 */

/**
 * @param {FromPage | FromContent} message
 * @returns {Promise<any>} undefined without an answer
 */
export async function ask(message) {
  try {
    return await api.runtime.sendMessage(message);
  } catch {
    return undefined;
  }
}

/** Why something was not done, by code. @type {Record<string, string>} */
const FAULTS = {
  PAIRING_CODE_INVALID: "faultCodeRefused", OFFLINE: "faultOffline", STRANGER: "faultStranger", UNSUPPORTED_VERSION: "faultOld",
  RATE_LIMITED: "faultRate", LOST: "faultLost", FULL: "faultFull", NOT_FOUND: "faultGone",
};

/**
 * Asks for something to be done.
 * @param {FromPage} message
 * @returns {Promise<string>} why it was not done, for the user; empty when it was
 */
export async function request(message) {
  /** @type {Answer | undefined} */
  const answer = await ask(message);
  return answer?.ok ? "" : text(FAULTS[answer?.code ?? ""] ?? "faultFailed");
}

/**
 * Asks the browser for sites. It must come before anything is waited for, or
 * it no longer belongs to the user's click.
 * @param {string[]} origins
 * @returns {Promise<string>} what is in the way; empty when they are allowed
 */
export async function allow(origins) {
  try {
    if (!(await api.permissions.request({ origins }))) return text("siteRefused", names(origins));
  } catch {
    return text("faultSite");
  }
  return request({ kind: "grant", origins });
}

/**
 * The names of sites, each once.
 * @param {string[]} origins
 */
export const names = (origins) => [...new Set(origins.map(siteName))].join(", ");

/**
 * Calls back with the state: at once, and whenever it may have changed. Never
 * two at a time; what comes meanwhile is one more round.
 * @param {(state: State) => void} show
 * @param {() => void} silent the background does not answer
 * @returns {() => Promise<void>} refresh
 */
export function follow(show, silent) {
  let asked = 0;
  /** @type {Promise<void>} */
  let running = Promise.resolve();
  const refresh = () => {
    if (asked > 1) return running;
    asked++;
    running = running.then(async () => {
      asked--;
      const state = await ask({ kind: "state" });
      if (state) show(state);
      else silent();
    });
    return running;
  };
  api.runtime.onMessage.addListener((message) => {
    if (message?.kind === "changed") void refresh();
  });
  return refresh;
}
