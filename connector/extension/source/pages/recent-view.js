/** What was reported just now, to be taken back. */
import { request } from "./ask.js";
import { keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { moment, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Recent} Recent
 */

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function recentView(refresh) {
  return ({ recent }) => {
    part("recent").hidden = recent.length === 0;
    keep(part("recent-list"), recent, ({ id }) => id, (one) => row(one, refresh));
  };
}

/**
 * @param {Recent} recent
 * @param {() => Promise<void>} refresh
 */
function row({ id, title, at }, refresh) {
  const undo = make("button", { type: "button", class: "quiet", "aria-label": text("undoLabel", title) }, text("undo"));
  undo.addEventListener("click", async () => {
    undo.disabled = true;
    const answer = await request({ kind: "undo", id });
    undo.disabled = false;
    if (!answer.ok) return say(answer.why);
    await refresh();
    say(text("undone", title));
    (part("recent").hidden ? part("link") : part("recent-heading")).focus();
  });
  return make("li", {}, make("span", {}, title, " ", make("span", { class: "muted" }, moment(at))), undo);
}
