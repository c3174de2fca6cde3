/** What waits: here for Filmspool, and there for the service. */
import { keep, make, part } from "./elements.js";
import { counted, moment, put, text } from "./words.js";

/** @typedef {import("../messages.js").State} State */

/**
 * @param {State} state
 * @returns {string[]}
 */
export function waitsWords({ outbox, daemon }) {
  const lines = [];
  if (outbox.full) lines.push(text("waitsFull"));
  if (outbox.waiting > 0) lines.push(counted("waitsHere", outbox.waiting));
  if (daemon && daemon.pending > 0) lines.push(daemon.online ? counted("waitsThere", daemon.pending) : counted("waitsAway", daemon.pending));
  lines.push(...(daemon?.problems ?? []).map(({ text, act }) => `${text} ${act}`));
  if (lines.length === 0) lines.push(text("waitsNothing"));
  if (daemon?.lastDelivered) lines.push(text("waitsLast", moment(daemon.lastDelivered)));
  return lines;
}

/** @returns {(state: State) => void} */
export function waitsView() {
  return (state) => {
    keep(part("waits"), waitsWords(state), (words) => words, (words) => {
      const item = make("li", { class: words === text("waitsFull") ? "alarm" : "" });
      put(item, words);
      return item;
    });
  };
}
