/** What the user does not want, in two steps: a button, then what it does and a yes. */
import { request } from "./ask.js";
import { make } from "./elements.js";
import { say } from "./fields.js";
import { put, text } from "./words.js";

/**
 * @typedef {object} Way
 * @property {string} label of the button
 * @property {() => string} sure what it does
 * @property {string} yes
 * @property {() => import("../messages.js").FromPage} message
 * @property {() => string} said what was done
 */

/**
 * Adds a button for each way, and the place where it asks.
 * @param {HTMLElement} item where it asks, at its end
 * @param {HTMLElement} acts the row of buttons
 * @param {string} id
 * @param {Way[]} ways
 * @param {(words: string) => Promise<void>} done
 */
export function dismissals(item, acts, id, ways, done) {
  const words = make("span", { id: `${id}-sure` });
  const yes = make("button", { type: "button", class: "danger", "aria-describedby": words.id });
  const no = make("button", { type: "button" }, text("discardNo"));
  const sure = make("p", { class: "actions sure", hidden: true }, words, yes, no);
  const buttons = ways.map(({ label }) => make("button", { type: "button", class: "quiet" }, label));
  /** @type {Way | null} */
  let way = null;
  const back = () => {
    sure.hidden = true;
    for (const button of buttons) button.hidden = false;
    if (way) buttons[ways.indexOf(way)].focus();
    way = null;
  };
  ways.forEach((one, i) =>
    buttons[i].addEventListener("click", () => {
      way = one;
      put(words, one.sure().replaceAll("`", "'"));
      yes.textContent = one.yes;
      sure.hidden = false;
      for (const button of buttons) button.hidden = true;
      no.focus();
    }));
  no.addEventListener("click", back);
  sure.addEventListener("keydown", (pressed) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    back();
  });
  yes.addEventListener("click", async () => {
    if (!way) return;
    const said = way.said();
    const answer = await request(way.message());
    if (!answer.ok) return say(answer.why);
    sure.hidden = true;
    for (const button of buttons) button.hidden = false;
    way = null;
    await done(said);
  });
  acts.append(...buttons);
  item.append(sure);
}
