/** Shows on both pages the state of the link to Filmspool, and whether viewings are recorded now. */
import { api } from "../api.js";
import { ask, request } from "./ask.js";
import { button, part, say } from "./elements.js";
import { clock, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {{tone: "good" | "idle" | "trouble", words: string, next?: string, retry?: boolean}} Standing
 */

/** @param {State} state @returns {Standing} */
function standing({ link: { state, daemonVersion, address }, outbox }) {
  const version = daemonVersion ?? "?";
  switch (state) {
    case "unpaired":
      return { tone: "trouble", words: text("linkUnpaired"), next: text("linkUnpairedNext") };
    case "connected":
      return { tone: "good", words: text("linkConnected", version) };
    case "offline":
      return { tone: "trouble", words: text("linkOffline"), next: text("linkOfflineNext"), retry: true };
    case "revoked":
      return { tone: "trouble", words: text("linkRevoked"), next: text("linkRevokedNext") };
    case "stranger":
      return { tone: "trouble", words: text("linkStranger", address), next: text("linkStrangerNext"), retry: true };
    case "old":
      return { tone: "trouble", words: text("linkOld", version, api.runtime.getManifest().version), next: text("linkOldNext"), retry: true };
    default:
      if (state === "ready" && outbox.waiting === 0) return { tone: "good", words: text("linkReady") };
      return { tone: "idle", words: text("linkWaiting"), next: text("linkWaitingNext"), retry: true };
  }
}

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function linkView(refresh) {
  const again = button("retry");
  const toOptions = document.getElementById("to-pairing"); // in the popup alone
  again.addEventListener("click", async () => {
    say(text("linkTrying"));
    await ask({ kind: "retry" });
    await refresh();
    say(part("link-words").textContent ?? "");
    if (again.hidden) part("link").focus();
  });
  return (state) => {
    const { tone, words, next = "", retry = false } = standing(state);
    part("link").dataset.tone = tone;
    put(part("link-words"), words);
    put(part("link-next"), next);
    // The options show the pairing form right below.
    part("link-next").hidden = next === "" || (!toOptions && state.link.state === "unpaired");
    again.hidden = !retry;
    if (toOptions) toOptions.hidden = !["unpaired", "revoked", "stranger"].includes(state.link.state);
  };
}

const HOUR = 3_600_000;

/** @param {Settings} settings */
const isPaused = (settings) => settings.pausedUntil > Date.now();

/**
 * Handles the button that pauses for an hour, and that ends a pause or private mode.
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function pauseView(refresh) {
  const toggle = button("pause");
  /** @type {Settings} */
  let settings;
  toggle.addEventListener("click", async () => {
    const pausedUntil = settings.private || isPaused(settings) ? 0 : Date.now() + HOUR;
    const trouble = await request({ kind: "settings", settings: { ...settings, pausedUntil, private: false } });
    await refresh();
    say(trouble || (part("recording").textContent ?? ""));
  });
  return (state) => {
    settings = state.settings;
    const on = !state.paused && state.sites.some(({ granted }) => granted);
    part("recording-line").dataset.tone = on ? "good" : "idle";
    if (settings.private) put(part("recording"), text("recordingPrivate"));
    else if (isPaused(settings)) put(part("recording"), text("recordingPaused", clock(settings.pausedUntil)));
    else put(part("recording"), text(on ? "recordingOn" : "recordingNowhere"));
    toggle.textContent = text(settings.private ? "privateOff" : isPaused(settings) ? "resume" : "pauseHour");
  };
}
