/** The answers that are remembered, and how to forget one. */
import { ask, request } from "./ask.js";
import { keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { place } from "./media.js";
import { text } from "./words.js";

/** @typedef {import("../messages.js").RememberedAnswer} RememberedAnswer */

/**
 * @param {() => Promise<void>} refresh
 * @returns {() => void}
 */
export function answersView(refresh) {
  const show = async () => {
    /** @type {RememberedAnswer[]} */
    const answers = (await ask({ kind: "answers" })) ?? [];
    part("answers-empty").hidden = answers.length > 0;
    keep(part("answers"), answers, ({ key, tmdb }) => `${key} ${tmdb}`, (answer) => row(answer, refresh));
  };
  return () => void show();
}

/** @param {RememberedAnswer} answer */
function meaning(answer) {
  const { kind, tmdb, title } = answer;
  const numbered = kind === "movie" ? text("filmNumbered", tmdb) : text("seriesNumbered", tmdb);
  return [title ? `${title}: ${numbered}` : numbered, place(answer)].filter(Boolean).join(" ");
}

/**
 * @param {RememberedAnswer} answer
 * @param {() => Promise<void>} refresh
 */
function row(answer, refresh) {
  const { key, host, about, title } = answer;
  const name = about || title || host;
  const forget = make("button", { type: "button", class: "quiet", "aria-label": text("forgetLabel", name) }, text("forget"));
  forget.addEventListener("click", async () => {
    const done = await request({ kind: "forgetAnswer", key });
    await refresh();
    say(done.ok ? text("forgotten", name) : done.why);
    part("answers-heading").focus();
  });
  const words = make("span", {}, make("bdi", { class: "site" }, name), " ", make("span", { class: "muted" }, text("answerMeans", host, meaning(answer))));
  return make("li", {}, words, forget);
}
