/** The link to Filmspool in one sentence, and what to do next. */
import { api } from "./api.js";
import { ask } from "./ask.js";
import { button, part } from "./elements.js";
import { say } from "./fields.js";
import { put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {{tone: "good" | "idle" | "trouble", words: string, next: string, retry: boolean}} Words
 */

/**
 * @param {State} state
 * @returns {Words}
 */
export function linkWords({ link, outbox }) {
  const trouble = (/** @type {string} */ words, /** @type {string} */ next, retry = true) =>
    /** @type {Words} */ ({ tone: "trouble", words, next, retry });
  switch (link.state) {
    case "unpaired":
      return trouble(text("linkUnpaired"), text("linkUnpairedNext"), false);
    case "connected":
      return { tone: "good", words: link.daemonVersion ? text("linkConnected", link.daemonVersion) : text("linkConnectedPlain"), next: "", retry: false };
    case "offline":
      return trouble(text("linkOffline"), text("linkOfflineNext"));
    case "revoked":
      return trouble(text("linkRevoked"), text("linkRevokedNext"), false);
    case "stranger":
      return trouble(text("linkStranger", link.address), text("linkStrangerNext"));
    case "old":
      return trouble(text("linkOld", link.daemonVersion ?? "?", api.runtime.getManifest().version), text("linkOldNext"));
    default:
      if (outbox.waiting === 0 && !link.detail) return { tone: "good", words: text("linkReady"), next: "", retry: false };
      return { tone: "idle", words: text("linkWaiting"), next: text("linkWaitingNext"), retry: true };
  }
}

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function linkView(refresh) {
  const retry = button("retry");
  retry.addEventListener("click", async () => {
    say(text("linkTrying"));
    await ask({ kind: "retry" });
    await refresh();
    say(part("link-words").textContent ?? "");
    if (retry.hidden) part("link").focus();
  });
  return (state) => {
    const { tone, words, next, retry: canRetry } = linkWords(state);
    part("link").dataset.tone = tone;
    put(part("link-words"), words);
    const toOptions = document.getElementById("to-pairing");
    put(part("link-next"), next);
    // The options have the steps of pairing right below.
    part("link-next").hidden = next === "" || (!toOptions && state.link.state === "unpaired");
    retry.hidden = !canRetry;
    if (toOptions) toOptions.hidden = !["unpaired", "revoked", "stranger"].includes(state.link.state);
  };
}
