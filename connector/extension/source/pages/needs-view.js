/** What needs the user: what was not recognised, and what was refused. */
import { api } from "./api.js";
import { request } from "./ask.js";
import { dismissals } from "./dismissals.js";
import { keep, make, part } from "./elements.js";
import { draftOf, hasDraft, say } from "./fields.js";
import { cards } from "./groups.js";
import { question, SOUGHT } from "./question.js";
import { isTitlePage } from "./typed.js";
import { counted, moment, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rejected} Rejected
 * @typedef {import("../messages.js").Unknown} Unknown
 */

/** The most that are shown at once; the rest follows as these are dealt with. */
const SHOWN = 20;

/** @param {() => Promise<void>} refresh */
export function needsView(refresh) {
  /** @type {Unknown[]} */
  let open = [];
  /** @type {Map<string, import("./question.js").Question>} */
  const questions = new Map();
  let resumed = false;
  /** Goes on to the next, or to the heading. @param {string} words */
  const done = async (words) => {
    await refresh();
    say(words);
    if (part("needs").hidden) return part("link").focus();
    (document.querySelector("#needs li input, #needs li button") instanceof HTMLElement ? part("needs-heading") : part("link")).focus();
  };
  discardAll(() => open, done);
  return {
    /** @param {State} state */
    show({ outbox: { unknown, rejected } }) {
      open = unknown;
      const n = unknown.length + rejected.length;
      const all = cards(unknown);
      const shown = all.slice(0, SHOWN);
      const latest = [...rejected].reverse();
      part("needs").hidden = n === 0;
      put(part("needs-hint"), all.length > SHOWN || rejected.length > SHOWN ? counted("needsMany", n) : counted("needs", n));
      part("needs-all").hidden = unknown.length < 2;
      keep(part("unknown"), shown, ({ key }) => key, (card) => {
        const made = question(card, done);
        questions.set(card.key, made);
        return made.item;
      });
      for (const { key, viewings } of shown) questions.get(key)?.show(viewings);
      if (!resumed) void resume(shown.map(({ key }) => key), questions);
      resumed = true;
      keep(part("rejected"), latest.slice(0, SHOWN), ({ id }) => id, (item) => refusal(item, done));
    },
    /**
     * Goes to the question about an event.
     * @param {string} id
     */
    focus(id) {
      const cards = [...part("unknown").children].filter((card) => card.getAttribute("data-ids")?.split(" ").includes(id));
      const field = cards[0]?.querySelector("input");
      field?.focus();
      return Boolean(field);
    },
  };
}

/**
 * The popup closes when the user goes to look for an answer. It goes on with
 * the card that the user was at, and with the page that was found.
 * @param {string[]} keys of the cards that are shown
 * @param {Map<string, import("./question.js").Question>} questions
 */
async function resume(keys, questions) {
  const sought = draftOf(SOUGHT);
  const key = keys.find((one) => one === sought) ?? keys.find(hasDraft);
  if (key === undefined) return;
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  const found = key === sought && isTitlePage(tab?.url ?? "") ? (tab.url ?? "") : "";
  if (questions.get(key)?.resume(found)) say(text("foundFilled"));
}

/**
 * @param {() => Unknown[]} open
 * @param {(words: string) => Promise<void>} done
 */
function discardAll(open, done) {
  const acts = make("p", { class: "actions" });
  part("needs-all").append(acts);
  dismissals(part("needs-all"), acts, "discard-all", [{
    label: text("discardAll"), sure: () => counted("discardSureAll", open().length), yes: text("discardYes"),
    message: () => ({ kind: "discardAll", ids: open().map(({ id }) => id) }), said: () => counted("discardedAll", open().length),
  }], done);
}

/**
 * @param {Rejected} rejected
 * @param {(words: string) => Promise<void>} done
 */
function refusal(rejected, done) {
  const { id, title, at, message } = rejected;
  const words = make("p");
  put(words, text("refused", message.replaceAll("`", "'")));
  const again = make("button", { type: "button" }, text("sendAgain"));
  again.addEventListener("click", async () => {
    const answer = await request({ kind: "again", id });
    if (!answer.ok) return say(answer.why);
    await done(text("sentAgain", title));
  });
  const acts = make("p", { class: "actions" }, again);
  const item = make("li", { class: "card" }, make("h3", {}, title), make("p", { class: "muted" }, moment(at)), words, acts);
  dismissals(item, acts, `refused-${id}`, [{
    label: text("discard"), sure: () => text("discardSure"), yes: text("discardYes"), message: () => ({ kind: "discard", id }), said: () => text("discarded", title),
  }], done);
  return item;
}
