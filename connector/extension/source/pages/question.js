/** The form that asks what an event was, and the two steps of discarding one. */
import { fits } from "../identify/kinds.js";
import { ask, request } from "./ask.js";
import { suggestions } from "./candidates.js";
import { make } from "./elements.js";
import { dropDrafts, fault, keepDraft, onSubmit, say } from "./fields.js";
import { isWhole, nameOf, place } from "./media.js";
import { readWhole } from "./typed.js";
import { moment, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").Unknown} Unknown
 * @typedef {import("../messages.js").Media} Media
 * @typedef {(done: string) => Promise<void>} Done the event is dealt with; done tells how
 */

/**
 * A field with its label and the place of its faults.
 * @param {string} id
 * @param {string} label
 * @param {Record<string, string>} [attributes]
 */
export function field(id, label, attributes = {}) {
  const input = make("input", { id, type: "text", autocomplete: "off", "aria-describedby": `${id}-fault`, ...attributes });
  const trouble = make("p", { id: `${id}-fault`, class: "fault", hidden: true });
  return { input, whole: make("div", {}, make("label", { for: id }, label), input, trouble) };
}

/**
 * Which episode: asked only when neither the link nor the page says so.
 * @param {Media} media
 * @param {HTMLInputElement} season
 * @param {HTMLInputElement} episode
 * @param {HTMLElement} fields
 * @returns {Media | null} null when the user has to say more
 */
export function withPlace(media, season, episode, fields) {
  if (isWhole(media)) return media;
  if (fields.hidden) {
    fields.hidden = false;
    (media.season === undefined ? season : episode).focus();
    say(text("whichEpisode"));
    return null;
  }
  const s = readWhole(season.value, 0, 9999);
  if (s === null) fault(season, text("faultSeason"));
  const e = readWhole(episode.value, 1, 99_999);
  if (e === null && s !== null) fault(episode, text("faultEpisode"));
  return s === null || e === null ? null : { ...media, season: s, episode: e };
}

/**
 * @param {Unknown} unknown
 * @param {Done} done
 */
export function question(unknown, done) {
  const id = `what-${unknown.id}`;
  const link = field(id, text("whatIsThis"), { inputmode: "url", spellcheck: "false", dir: "ltr" });
  const season = field(`${id}-season`, text("season"), { inputmode: "numeric" });
  const episode = field(`${id}-episode`, text("episode"), { inputmode: "numeric" });
  season.input.value = String(unknown.evidence.season ?? "");
  episode.input.value = String(unknown.evidence.episode ?? "");
  const fields = make("div", { class: "pair", hidden: true }, season.whole, episode.whole);
  const remember = make("input", { type: "checkbox", checked: true });
  const acts = make("p", { class: "actions" }, make("button", { type: "submit", class: "main" }, text("save")));
  const form = make("form", {}, link.whole, fields,
    make("label", { class: "check" }, remember, " ", rememberWords(unknown)),
    acts);
  keepDraft(link.input, id);
  /** The suggestion that waits for its episode. @type {Media | null} */
  let chosen = null;
  link.input.addEventListener("input", () => {
    chosen = null;
  });
  const save = async (/** @type {Media | null} */ media) => {
    const whole = media && withPlace(media, season.input, episode.input, fields);
    if (!whole) return;
    const answer = await request({ kind: "identify", id: unknown.id, media: whole, remember: remember.checked });
    if (!answer.ok) return fault(link.input, answer.why);
    dropDrafts(id);
    await done(text("whatSaved", nameOf(whole)));
  };
  onSubmit(form, async () => save(chosen ?? (await understood(unknown, link.input))));
  const offers = suggestions(unknown, (media) => {
    chosen = media;
    void save(media);
  });
  return card([...heading(unknown), ...offers, form], acts, unknown, done);
}

/**
 * What the link says, and where it is silent what the page has said.
 * @param {Unknown} unknown
 * @param {HTMLInputElement} link
 * @returns {Promise<Media | null>}
 */
async function understood({ evidence }, link) {
  /** @type {Media | null | undefined} */
  const media = await ask({ kind: "identifyText", text: link.value });
  if (!media) {
    fault(link, text(link.value.trim() ? "faultLink" : "faultLinkEmpty"));
    return null;
  }
  if (!fits(evidence, media)) {
    fault(link, media.type === "movie" ? text("faultNotFilm") : text("faultNotEpisode"));
    return null;
  }
  if (media.type === "movie" || isWhole(media)) return media;
  return { ...media, ...(media.season === undefined && evidence.season !== undefined && { season: evidence.season }),
    ...(media.episode === undefined && evidence.episode !== undefined && { episode: evidence.episode }) };
}

/**
 * For what the answer is remembered: the series or the film, where the page
 * names it, else this page.
 * @param {Unknown} unknown
 */
function rememberWords({ host, kind, evidence }) {
  if (kind === "episode" && evidence.title && evidence.season !== undefined) return text("rememberSeries", host);
  return evidence.title && (kind === "movie" || evidence.year !== undefined) ? text("rememberFilm", host) : text("rememberPage", host);
}

/** @param {Unknown} unknown */
function heading({ title, evidence, host, at }) {
  const name = [evidence.title ?? title, place(evidence)].filter(Boolean).join(" ");
  return [make("h3", {}, name), make("p", { class: "muted" }, text("seenAt", host, moment(at)))];
}

/**
 * One thing that needs the user, with "Discard" in two steps.
 * @param {HTMLElement[]} body
 * @param {HTMLElement} acts the row of its other buttons
 * @param {{id: string, title: string}} event
 * @param {Done} done
 */
export function card(body, acts, event, done) {
  const item = make("li", { class: "card" }, ...body);
  const first = make("button", { type: "button", class: "quiet" }, text("discard"));
  const words = make("span", { id: `sure-${event.id}` });
  put(words, text("discardSure"));
  const yes = make("button", { type: "button", class: "danger", "aria-describedby": words.id }, text("discardYes"));
  const no = make("button", { type: "button" }, text("discardNo"));
  const sure = make("p", { class: "actions sure", hidden: true }, words, yes, no);
  const step = (/** @type {boolean} */ asks) => {
    sure.hidden = !asks;
    first.hidden = asks;
    (asks ? no : first).focus();
  };
  first.addEventListener("click", () => step(true));
  no.addEventListener("click", () => step(false));
  sure.addEventListener("keydown", (pressed) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    step(false);
  });
  yes.addEventListener("click", async () => {
    const answer = await request({ kind: "discard", id: event.id });
    if (!answer.ok) return say(answer.why);
    dropDrafts(`what-${event.id}`);
    await done(text("discarded", event.title));
  });
  acts.append(first);
  item.append(sure);
  return item;
}
