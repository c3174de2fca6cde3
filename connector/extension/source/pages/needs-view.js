/** Shows what needs the user, and what waits: in the browser for Filmspool, and in Filmspool for the service. */
import { request } from "./ask.js";
import { find, keep, make, part, say } from "./elements.js";
import { counted, moment, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rejected} Rejected
 */

/** The most rejected entries that are shown at once; the rest follows when these are sent again or discarded. */
const SHOWN = 20;

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function needsView(refresh) {
  return ({ daemon, outbox: { rejected } }) => {
    const n = daemon?.attention ?? 0;
    part("needs").hidden = n === 0 && rejected.length === 0;
    part("review").hidden = n === 0;
    put(part("review-words"), n > 0 ? counted("needs", n) : "");
    find("to-review", HTMLAnchorElement).href = `${daemon?.page}/review`;
    keep(part("rejected"), [...rejected].reverse().slice(0, SHOWN), ({ id }) => id, (item) => refusal(item, refresh));
  };
}

/**
 * Makes the card of a rejected entry.
 * @param {Rejected} rejected
 * @param {() => Promise<void>} refresh
 */
function refusal({ id, title, at, code = "", field = "" }, refresh) {
  const again = make("button", { type: "button" }, text("sendAgain"));
  const discard = make("button", { type: "button", class: "quiet" }, text("discard"));
  const settle = async (/** @type {"again" | "discard"} */ kind, /** @type {string} */ done) => {
    const trouble = await request({ kind, id });
    if (trouble) return say(trouble);
    await refresh();
    say(done);
    part(part("needs").hidden ? "link" : "needs-heading").focus();
  };
  again.addEventListener("click", () => settle("again", text("sentAgain", title)));
  let sure = false;
  discard.addEventListener("click", () => {
    if (sure) return void settle("discard", text("discarded", title));
    sure = true;
    discard.textContent = text("discardYes");
    say(text("discardSure", title));
  });
  const words = make("p", {}, text("refused", `${code} ${field}`.trim()));
  return make("li", { class: "card" }, make("h3", {}, title), make("p", { class: "muted" }, moment(at)), words, make("p", { class: "actions" }, again, discard));
}

/** Lists what waits. @param {State} state */
export function showWaiting({ outbox, daemon }) {
  const lines = [];
  if (outbox.full) lines.push(text("waitsFull"));
  if (outbox.waiting > 0) lines.push(counted("waitsHere", outbox.waiting));
  if (daemon && daemon.pending > 0) lines.push(counted(daemon.online ? "waitsThere" : "waitsAway", daemon.pending));
  lines.push(...(daemon?.problems ?? []).map(({ text, act }) => `${text} ${act}`));
  if (lines.length === 0) lines.push(text("waitsNothing"));
  if (daemon?.lastDelivered) lines.push(text("waitsLast", moment(daemon.lastDelivered)));
  keep(part("waits"), lines, (line) => line, (line) => {
    const item = make("li", { class: line === text("waitsFull") ? "alarm" : "" });
    put(item, line);
    return item;
  });
}
