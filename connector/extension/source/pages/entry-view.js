/** By hand: a link to what was watched, or to what shall be. */
import { api } from "./api.js";
import { ask, request } from "./ask.js";
import { find, form, input, part } from "./elements.js";
import { dropDrafts, fault, hasDraft, keepDraft, onSubmit, say } from "./fields.js";
import { kindChoice } from "./kind-choice.js";
import { forWatchlist, nameOf } from "./media.js";
import { withPlace } from "./question.js";
import { isTitlePage, withOffset } from "./typed.js";
import { text } from "./words.js";

/** @typedef {import("../messages.js").Media} Media */

const DRAFT = "entry-link";

/** @param {() => Promise<void>} refresh */
export function entryView(refresh) {
  const details = find("entry", HTMLDetailsElement);
  const link = input("entry-link");
  keepDraft(link, DRAFT);
  const kind = kindChoice(DRAFT, link, null, `${DRAFT} kind`);
  part("entry-place").before(kind.element);
  kind.follow();
  details.open = hasDraft(DRAFT);
  details.addEventListener("toggle", () => void suggest(link).then(kind.follow));
  link.addEventListener("input", () => {
    part("entry-place").hidden = true;
  });
  onSubmit(form("entry-form"), async (act) => {
    if (kind.missing()) return;
    /** @type {Media | null | undefined} */
    const media = await ask({ kind: "identifyText", text: link.value, ...kind.chosen() });
    if (!media) return fault(link, text(link.value.trim() ? "faultLink" : "faultLinkEmpty"));
    const done = act === "wish" ? await wish(media, link) : await watched(media, link);
    if (!done) return;
    dropDrafts(DRAFT, `${DRAFT} kind`);
    form("entry-form").reset();
    kind.follow();
    part("entry-place").hidden = true;
    await refresh();
    link.focus();
    say(done);
  });
  return {
    open() {
      details.open = true;
      link.focus();
    },
  };
}

/**
 * The page in front may be the very one.
 * @param {HTMLInputElement} link
 */
async function suggest(link) {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  if (link.value === "" && isTitlePage(tab?.url ?? "")) link.value = tab.url ?? "";
}

/**
 * @param {Media} media
 * @param {HTMLInputElement} link
 * @returns {Promise<string | null>} what was done
 */
async function wish(media, link) {
  const wished = forWatchlist(media);
  if (!wished) return fail(link, text("faultLink"));
  const answer = await request({ kind: "watchlist", media: wished });
  return answer.ok ? text("wishKept", nameOf(wished)) : fail(link, answer.why);
}

/**
 * @param {Media} media
 * @param {HTMLInputElement} link
 * @returns {Promise<string | null>} what was done
 */
async function watched(media, link) {
  const whole = withPlace(media, input("entry-season"), input("entry-episode"), part("entry-place"));
  if (!whole) return null;
  const when = input("entry-when");
  const at = when.value ? new Date(when.value) : new Date();
  if (when.validity.badInput || Number.isNaN(at.getTime())) return fail(when, text("faultWhen"));
  if (at.getTime() > Date.now()) return fail(when, text("faultFuture"));
  const answer = await request({ kind: "add", media: whole, watchedAt: withOffset(at) });
  return answer.ok ? text("markKept", nameOf(whole)) : fail(link, answer.why);
}

/**
 * @param {HTMLElement} field
 * @param {string} words
 */
function fail(field, words) {
  fault(field, words);
  return null;
}
