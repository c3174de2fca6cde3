/** The pages' side of the talk with the background. */
import { api } from "./api.js";
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").FromPage} FromPage
 * @typedef {import("../messages.js").FromContent} FromContent
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("../messages.js").State} State
 */

/**
 * @param {FromPage | FromContent} message
 * @returns {Promise<any>} undefined when nobody answers
 */
export async function ask(message) {
  try {
    return await api.runtime.sendMessage(message);
  } catch {
    return undefined;
  }
}

/**
 * Asks for something to be done.
 * @param {FromPage} message
 * @returns {Promise<(Answer & {ok: true}) | {ok: false, why: string}>}
 */
export async function request(message) {
  /** @type {Answer | undefined} */
  const answer = await ask(message);
  if (answer?.ok) return answer;
  return { ok: false, why: reason(answer?.code, answer?.message) };
}

/**
 * Why something was not done, in the user's language where the code is known,
 * with the other side's own words where it is not.
 * @param {string | undefined} code
 * @param {string | undefined} message
 */
function reason(code, message) {
  switch (code) {
    case "PAIRING_CODE_INVALID":
      return text("faultCodeRefused") + (message ? " " + text("faultItSays", message) : "");
    case "OFFLINE":
      return text("faultOffline");
    case "STRANGER":
      return text("faultStranger");
    case "UNSUPPORTED_VERSION":
      return text("faultOld");
    case "RATE_LIMITED":
      return text("faultRate");
    case "LOST":
      return text("faultLost");
    case "FULL":
      return text("faultFull");
    case "NOT_FOUND":
      return text("faultGone");
    default:
      return message ? text("faultSaid", message) : text("faultSilent");
  }
}

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
