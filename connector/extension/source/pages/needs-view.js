/** What needs the user: what Filmspool asks on its Review page, and what it has refused. */
import { request } from "./ask.js";
import { find, keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { counted, moment, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rejected} Rejected
 */

/** The most refused entries that are shown at once; the rest follows as these are dealt with. */
const SHOWN = 20;

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function needsView(refresh) {
  return ({ link, daemon, outbox: { rejected } }) => {
    const n = daemon?.attention ?? 0;
    part("needs").hidden = n === 0 && rejected.length === 0;
    part("review").hidden = n === 0;
    put(part("review-words"), n > 0 ? counted("needs", n) : "");
    find("to-review", HTMLAnchorElement).href = `http://${link.address}/review`;
    keep(part("rejected"), [...rejected].reverse().slice(0, SHOWN), ({ id }) => id, (item) => refusal(item, refresh));
  };
}

/**
 * @param {Rejected} rejected
 * @param {() => Promise<void>} refresh
 */
function refusal({ id, title, at, message }, refresh) {
  const words = make("p");
  put(words, text("refused", message.replaceAll("`", "'")));
  const again = make("button", { type: "button" }, text("sendAgain"));
  const discard = make("button", { type: "button", class: "quiet" }, text("discard"));
  const dealt = async (/** @type {import("../messages.js").FromPage} */ message, /** @type {string} */ done) => {
    const answer = await request(message);
    if (!answer.ok) return say(answer.why);
    await refresh();
    say(done);
    part(part("needs").hidden ? "link" : "needs-heading").focus();
  };
  again.addEventListener("click", () => dealt({ kind: "again", id }, text("sentAgain", title)));
  let sure = false;
  discard.addEventListener("click", () => {
    if (sure) return void dealt({ kind: "discard", id }, text("discarded", title));
    sure = true;
    discard.textContent = text("discardYes");
    say(text("discardSure", title));
  });
  return make("li", { class: "card" }, make("h3", {}, title), make("p", { class: "muted" }, moment(at)), words, make("p", { class: "actions" }, again, discard));
}
