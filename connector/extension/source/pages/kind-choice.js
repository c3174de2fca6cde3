/** What a bare number names: it says so only with its kind. */
import { make } from "./elements.js";
import { keepDraftOf, say } from "./fields.js";
import { bareNumber } from "./typed.js";
import { put, text } from "./words.js";

/**
 * @typedef {object} KindChoice
 * @property {HTMLElement} element
 * @property {() => void} follow shows or hides the choice, by what is typed
 * @property {() => boolean} missing whether a kind has to be chosen first, which is then said
 * @property {() => {as?: "movie" | "tv" | "episode"}} chosen
 */

/**
 * @param {string} id
 * @param {HTMLInputElement} link
 * @param {"movie" | "episode" | null} kind as the page has told
 * @param {string} draft
 * @returns {KindChoice}
 */
export function kindChoice(id, link, kind, draft) {
  const trouble = make("p", { id: `${id}-kind-fault`, class: "fault", hidden: true });
  const radio = (/** @type {string} */ value, /** @type {string} */ words) => {
    const input = make("input", { type: "radio", name: `${id}-kind`, id: `${id}-kind-${value}`, value });
    return { input, label: make("label", { class: "choice" }, input, " ", words) };
  };
  const all = [radio("movie", text("kindFilm")), radio("tv", text("kindSeries")), radio("episode", text("kindEpisode"))];
  const [film, series, single] = all;
  film.input.checked = kind === "movie";
  series.input.checked = kind === "episode";
  keepDraftOf(all.map(({ input }) => input), draft);
  const element = make("fieldset", { class: "kinds", hidden: true, "aria-describedby": trouble.id },
    make("legend", {}, text("kindLegend")), ...all.map(({ label }) => label), trouble);
  const picked = () => all.find(({ input }) => input.checked && !input.closest("label")?.hidden)?.input;
  const follow = () => {
    const what = bareNumber(link.value);
    element.hidden = what === null;
    single.label.hidden = what !== "imdb";
    trouble.hidden = true;
  };
  link.addEventListener("input", follow);
  element.addEventListener("change", () => {
    trouble.hidden = true;
  });
  return {
    element,
    follow,
    missing() {
      if (bareNumber(link.value) === null || picked()) return false;
      follow();
      put(trouble, text("faultKind"));
      trouble.hidden = false;
      film.input.focus();
      say(text("faultKind"));
      return true;
    },
    chosen() {
      const value = picked()?.value;
      if (bareNumber(link.value) === null) return {};
      return value === "movie" || value === "tv" || value === "episode" ? { as: value } : {};
    },
  };
}
