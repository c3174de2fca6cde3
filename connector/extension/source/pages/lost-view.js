/** Sites that the extension cannot read any more, and a report about them without any content. */
import { api } from "./api.js";
import { button, keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Place} Place
 */

/**
 * For the makers of the rules, so it is in English.
 * @param {Place[]} lost
 */
function report(lost) {
  const browser = api.runtime.getURL("").startsWith("moz-") ? "Firefox" : "Chromium";
  const lines = lost.map(({ name, seen, lost: { minutes, parts } = { minutes: 0, parts: [] } }) =>
    `rule ${name}, last known to hold ${seen}: nothing found in ${minutes} minutes of film by ${parts.join(", ")}`);
  return [`Filmspool extension ${api.runtime.getManifest().version}, ${browser}`, ...lines].join("\n");
}

/** @returns {(state: State) => void} */
export function lostView() {
  /** @type {Place[]} */
  let lost = [];
  button("lost-copy").addEventListener("click", async () => {
    const copied = await navigator.clipboard.writeText(report(lost)).then(() => true, () => false);
    say(text(copied ? "lostCopied" : "lostNotCopied"));
  });
  return ({ places }) => {
    lost = places.filter((place) => place.lost);
    part("lost").hidden = lost.length === 0;
    keep(part("lost-sites"), lost, ({ name }) => name, ({ label }) => make("li", {}, text("lost", label)));
  };
}
