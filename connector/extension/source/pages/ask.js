/** Sends the messages of the pages to the background, and asks the browser for permissions. */
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

/** Texts for people by error code. @type {Record<string, string>} */
const FAULTS = {
  PAIRING_CODE_INVALID: "faultCodeRefused", OFFLINE: "faultOffline", STRANGER: "faultStranger", UNSUPPORTED_VERSION: "faultOld",
  RATE_LIMITED: "faultRate", LOST: "faultLost", FULL: "faultFull", NOT_FOUND: "faultGone",
};

/**
 * Sends a message that changes something.
 * @param {FromPage} message
 * @returns {Promise<string>} the error for the user; empty on success
 */
export async function request(message) {
  /** @type {Answer | undefined} */
  const answer = await ask(message);
  return answer?.ok ? "" : text(FAULTS[answer?.code ?? ""] ?? "faultFailed");
}

/**
 * Asks the browser for permission for sites. It must be called before anything is
 * awaited, because the browser asks only right after a click of the user.
 * @param {string[]} origins
 * @returns {Promise<string>} the error for the user; empty when they are allowed
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
 * Lists the names of sites, each once.
 * @param {string[]} origins
 */
export const names = (origins) => [...new Set(origins.map(siteName))].join(", ");

/**
 * Calls show with the state whenever it may have changed. Requests never overlap;
 * changes during one lead to one more.
 * @param {(state: State) => void} show
 * @param {() => void} silent called when the background does not answer
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
