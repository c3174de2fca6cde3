/** What the user does not want to be asked about, and how to take that back. */
import { request } from "./ask.js";
import { dismissals } from "./dismissals.js";
import { keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { counted, moment, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").FromPage} FromPage
 */

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function ignoredView(refresh) {
  let thrown = 0;
  const done = async (/** @type {string} */ words) => {
    await refresh();
    say(words);
    part("ignored-heading").focus();
  };
  const acts = make("p", { class: "actions" });
  part("discarded-all").append(acts);
  dismissals(part("discarded-all"), acts, "empty-bin", [{
    label: text("emptyBin"), sure: () => counted("emptyBinSure", thrown), yes: text("emptyBinYes"), message: () => ({ kind: "emptyBin" }), said: () => text("emptyBinSaid"),
  }], done);
  return ({ ignored: { sites, films, discarded } }) => {
    thrown = discarded.length;
    part("ignored-empty").hidden = sites.length + films.length + discarded.length > 0;
    part("discarded-all").hidden = thrown === 0;
    /** @type {(id: string, any: boolean) => void} */
    const heading = (id, any) => {
      part(`${id}-heading`).hidden = !any;
      part(id).hidden = !any;
    };
    heading("never", sites.length > 0);
    heading("not-films", films.length > 0);
    heading("discarded", thrown > 0);
    keep(part("never"), sites, (site) => site, (site) => row(site, "", { kind: "takeBack", key: site }, done));
    keep(part("not-films"), films, ({ key }) => key, ({ key, title, host }) => row(title, host, { kind: "takeBack", key }, done));
    keep(part("discarded"), discarded, ({ id }) => id, ({ id, title, host, at }) => row(title, [host, moment(at)].filter(Boolean).join(" · "), { kind: "restore", id }, done));
  };
}

/**
 * @param {string} name
 * @param {string} more
 * @param {FromPage} message
 * @param {(words: string) => Promise<void>} done
 */
function row(name, more, message, done) {
  const back = make("button", { type: "button", "aria-label": text("takeBackLabel", name) }, text("takeBack"));
  back.addEventListener("click", async () => {
    const answer = await request(message);
    if (!answer.ok) return say(answer.why);
    await done(text("takenBack", name));
  });
  return make("li", {}, make("span", {}, make("bdi", { class: "site" }, name), " ", make("span", { class: "muted" }, more)), back);
}
