/** A setting that is on or off, kept as soon as it is changed. */
import { request } from "./ask.js";
import { input } from "./elements.js";
import { say } from "./fields.js";
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Settings} Settings
 */

/**
 * @param {string} id of the checkbox
 * @param {"askUnknown" | "private"} name of the setting
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function switchView(id, name, refresh) {
  const box = input(id);
  /** @type {Settings | undefined} */
  let settings;
  box.addEventListener("change", async () => {
    if (!settings) return;
    const answer = await request({ kind: "settings", settings: { ...settings, [name]: box.checked } });
    await refresh();
    say(answer.ok ? text("saved") : answer.why);
  });
  return (state) => {
    settings = state.settings;
    box.checked = settings[name];
  };
}
