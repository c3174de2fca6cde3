/** Private mode, kept as soon as it is changed. */
import { request } from "./ask.js";
import { input } from "./elements.js";
import { say } from "./fields.js";
import { text } from "./words.js";

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: import("../messages.js").State) => void}
 */
export function switchView(refresh) {
  const box = input("private");
  /** @type {import("../messages.js").Settings | undefined} */
  let settings;
  box.addEventListener("change", async () => {
    if (!settings) return;
    const answer = await request({ kind: "settings", settings: { ...settings, private: box.checked } });
    await refresh();
    say(answer.ok ? text("saved") : answer.why);
  });
  return (state) => {
    settings = state.settings;
    box.checked = settings.private;
  };
}
