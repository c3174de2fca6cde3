/** What needs the user: what was not recognised, and what was refused. */
import { request } from "./ask.js";
import { keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { card, question } from "./question.js";
import { counted, moment, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rejected} Rejected
 */

/** The most that are shown at once; the rest follows as these are dealt with. */
const SHOWN = 20;

/** @param {() => Promise<void>} refresh */
export function needsView(refresh) {
  /** Goes on to the next, or to the heading. @param {string} words */
  const done = async (words) => {
    await refresh();
    say(words);
    if (part("needs").hidden) return part("link").focus();
    (document.querySelector("#needs li input, #needs li button") instanceof HTMLElement ? part("needs-heading") : part("link")).focus();
  };
  return {
    /** @param {State} state */
    show({ outbox: { unknown, rejected } }) {
      const n = unknown.length + rejected.length;
      part("needs").hidden = n === 0;
      put(part("needs-hint"), n > SHOWN ? counted("needsMany", n) : counted("needs", n));
      keep(part("unknown"), unknown.slice(0, SHOWN), ({ id }) => id, (item) => question(item, done));
      keep(part("rejected"), rejected.slice(0, SHOWN), ({ id }) => id, (item) => refusal(item, done));
    },
    /**
     * Goes to the question about an event.
     * @param {string} id
     */
    focus(id) {
      const field = document.getElementById(`what-${id}`);
      field?.focus();
      return field !== null;
    },
  };
}

/**
 * @param {Rejected} rejected
 * @param {(words: string) => Promise<void>} done
 */
function refusal(rejected, done) {
  const words = make("p");
  put(words, text("refused", rejected.message.replaceAll("`", "'")));
  const again = make("button", { type: "button" }, text("sendAgain"));
  again.addEventListener("click", async () => {
    const answer = await request({ kind: "again", id: rejected.id });
    if (!answer.ok) return say(answer.why);
    await done(text("sentAgain", rejected.title));
  });
  const acts = make("p", { class: "actions" }, again);
  return card([make("h3", {}, rejected.title), make("p", { class: "muted" }, moment(rejected.at)), words, acts], acts, rejected, done);
}
