/** Whether viewings are recorded now: paused for an hour, private, or on. */
import { request } from "./ask.js";
import { button, part } from "./elements.js";
import { say } from "./fields.js";
import { clock, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Settings} Settings
 */

const HOUR = 3_600_000;

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function pauseView(refresh) {
  const act = button("pause");
  /** @type {Settings | undefined} */
  let settings;
  act.addEventListener("click", async () => {
    if (!settings) return;
    const answer = await request({ kind: "settings", settings: toggled(settings) });
    await refresh();
    say(answer.ok ? (part("recording").textContent ?? "") : answer.why);
  });
  return (state) => {
    settings = state.settings;
    const paused = isPaused(settings);
    const on = !paused && !settings.private && anySite(state);
    part("recording-line").dataset.tone = on ? "good" : "idle";
    put(part("recording"), recordingWords(state));
    act.textContent = settings.private ? text("privateOff") : paused ? text("resume") : text("pauseHour");
  };
}

/** @param {Settings} settings */
const isPaused = (settings) => settings.pausedUntil > Date.now();

/**
 * @param {Settings} settings
 * @returns {Settings}
 */
function toggled(settings) {
  if (settings.private) return { ...settings, private: false };
  return { ...settings, pausedUntil: isPaused(settings) ? 0 : Date.now() + HOUR };
}

/** @param {State} state */
function recordingWords(state) {
  const { settings } = state;
  if (settings.private) return text("recordingPrivate");
  if (isPaused(settings)) return text("recordingPaused", clock(settings.pausedUntil));
  return text(anySite(state) ? "recordingOn" : "recordingNowhere");
}

/** @param {State} state */
const anySite = ({ sites }) => sites.some(({ granted }) => granted);
