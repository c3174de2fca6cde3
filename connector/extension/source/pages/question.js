/** The card that asks what was watched. */
import { fits } from "../identify/kinds.js";
import { ask, request } from "./ask.js";
import { sought, suggestions } from "./candidates.js";
import { dismissals } from "./dismissals.js";
import { make } from "./elements.js";
import { draftOf, dropDrafts, fault, hasDraft, keepDraft, noteDraft, onSubmit, say } from "./fields.js";
import { kindChoice } from "./kind-choice.js";
import { isWhole, nameOf, place } from "./media.js";
import { namesList, searchLink, viewingLine } from "./seen.js";
import { bareNumber, isWords, readWhole } from "./typed.js";
import { counted, text } from "./words.js";

/**
 * @typedef {import("../messages.js").Unknown} Unknown
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("./groups.js").Card} Card
 * @typedef {(done: string) => Promise<void>} Done the event is dealt with; done tells how
 */

/**
 * @typedef {object} Question
 * @property {HTMLElement} item
 * @property {(viewings: Unknown[]) => void} show brings it up to date
 * @property {(found: string) => boolean} resume goes on with it; found is an address to fill in, if there is one. Whether
 *   it was filled in
 */

/** The card for which the user has gone to look. */
export const SOUGHT = "sought";

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
    (media.season === undefined && season.value === "" ? season : episode).focus();
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
 * One question about viewings that one answer serves.
 * @param {Card} card
 * @param {Done} done
 * @returns {Question}
 */
export function question({ key, viewings }, done) {
  let all = viewings;
  const [unknown] = viewings;
  const id = `what-${unknown.id}`;
  const link = field(id, text("whatIsThis"), { inputmode: "url", spellcheck: "false", dir: "ltr" });
  const kind = kindChoice(id, link.input, unknown.kind, `${key} kind`);
  const season = field(`${id}-season`, text("season"), { inputmode: "numeric" });
  const episode = field(`${id}-episode`, text("episode"), { inputmode: "numeric" });
  season.input.value = String(unknown.evidence.season ?? unknown.guess?.season ?? "");
  episode.input.value = String(unknown.evidence.episode ?? "");
  const drafts = [key, `${key} season`, `${key} episode`, `${key} kind`];
  const forget = () => dropDrafts(...drafts, ...(draftOf(SOUGHT) === key ? [SOUGHT] : []));
  const fields = make("div", { class: "pair", hidden: !hasDraft(drafts[1]) && !hasDraft(drafts[2]) }, season.whole, episode.whole);
  const remember = make("input", { type: "checkbox", checked: true });
  const send = make("button", { type: "submit", class: "main" });
  const acts = make("p", { class: "actions" }, send);
  const kept = make("label", { class: "check" }, remember, " ", rememberWords(unknown));
  const form = make("form", {}, link.whole, kind.element, fields, kept, acts);
  [link, season, episode].forEach(({ input }, i) => keepDraft(input, drafts[i]));
  /** The suggestion that waits for its episode. @type {Media | null} */
  let chosen = null;
  const follow = () => {
    kind.follow();
    send.textContent = text(!chosen && isWords(link.input.value) && !/\d/.test(link.input.value) ? "seek" : "save");
    kept.hidden = bareNumber(link.input.value) === "imdb"; // only a number of themoviedb.org can be remembered
  };
  follow();
  link.input.addEventListener("input", () => {
    chosen = null;
    follow();
  });
  const save = async (/** @type {Media | null} */ media) => {
    const whole = media && withPlace(media, season.input, episode.input, fields);
    if (!whole) return;
    const trouble = misfit(whole, all) || (await answered(whole, all, remember.checked));
    if (trouble) return fault(link.input, trouble);
    forget();
    await done(all.length > 1 ? text("whatSavedAll", nameOf({ ...whole, season: undefined, episode: undefined }), all.length) : text("whatSaved", nameOf(whole)));
  };
  const offers = make("div");
  const choose = (/** @type {Media} */ media) => {
    chosen = media;
    follow();
    void save(media);
  };
  const seek = async () => {
    const found = await sought(unknown, link.input.value, choose);
    if (typeof found === "string") return fault(link.input, found);
    offers.replaceChildren(...found);
    offers.querySelector("button")?.focus();
    say(text("sought"));
  };
  onSubmit(form, async () => save(chosen ?? (await understood(unknown, link.input, kind, seek))));
  let offered = "";
  const offer = () => {
    const { candidates, later } = all.find((one) => one.candidates) ?? all[0];
    if (offered === JSON.stringify([candidates, later])) return;
    offered = JSON.stringify([candidates, later]);
    offers.replaceChildren(...suggestions({ ...unknown, candidates, later }, choose));
  };
  const times = make("ul", { class: "viewings" });
  const title = make("h3");
  const search = searchLink(unknown);
  search.addEventListener("click", () => noteDraft(SOUGHT, key));
  const item = make("li", { class: "card" }, title, times, namesList(unknown), offers, make("p", {}, search), form);
  dismissals(item, acts, id, ways(() => all), async (words) => {
    forget();
    await done(words);
  });
  const show = (/** @type {Unknown[]} */ latest) => {
    all = latest;
    item.setAttribute("data-ids", all.map((one) => one.id).join(" "));
    title.textContent = all.length > 1 ? counted("severalOf", all.length, unknown.evidence.title ?? unknown.title) : headingOf(unknown);
    times.replaceChildren(...all.map((one) => viewingLine(one, all.length > 1)));
    offer();
  };
  const resume = (/** @type {string} */ found) => {
    const fills = found !== "" && link.input.value === "";
    if (fills) {
      link.input.value = found;
      noteDraft(key, found);
      follow();
    }
    item.scrollIntoView({ block: "nearest" });
    link.input.focus();
    return fills;
  };
  show(viewings);
  return { item, show, resume };
}

/**
 * What the user says about viewings of which nothing shall be kept.
 * @param {() => Unknown[]} viewings
 * @returns {import("./dismissals.js").Way[]}
 */
function ways(viewings) {
  const first = () => viewings()[0];
  return [
    {
      label: text("discard"), sure: () => (viewings().length > 1 ? counted("discardSureAll", viewings().length) : text("discardSure")), yes: text("discardYes"),
      message: () => ({ kind: "discardAll", ids: viewings().map(({ id }) => id) }), said: () => text("discarded", headingOf(first())),
    },
    {
      label: text("notFilm"), sure: () => text("notFilmSure", headingOf(first())), yes: text("notFilmYes"),
      message: () => ({ kind: "notFilm", id: first().id }), said: () => text("notFilmSaid", headingOf(first())),
    },
    {
      label: text("neverHere"), sure: () => text("neverHereSure", first().host), yes: text("neverHereYes", first().host),
      message: () => ({ kind: "never", host: first().host }), said: () => text("neverHereSaid", first().host),
    },
  ];
}

/**
 * Whether an answer cannot be that of several viewings.
 * @param {Media} media
 * @param {Unknown[]} viewings
 * @returns {string} why; empty when it fits
 */
function misfit(media, viewings) {
  if (viewings.length === 1) return "";
  const [{ kind }] = viewings;
  if (media.type !== kind || (kind === "episode" && !media.show?.ids)) return text("faultSeveral");
  const here = viewings.some(({ evidence }) => evidence.season === media.season && evidence.episode === media.episode);
  return kind === "movie" || here ? "" : text("faultSeveral");
}

/**
 * Gives the answer to each viewing, with the place that its own page has told.
 * @param {Media} media
 * @param {Unknown[]} viewings
 * @param {boolean} remember
 * @returns {Promise<string>} what is in the way; empty when all is done
 */
async function answered(media, viewings, remember) {
  const several = viewings.length > 1 && media.type === "episode";
  for (const [i, { id, evidence }] of viewings.entries()) {
    const own = several ? { ...media, season: evidence.season, episode: evidence.episode } : media;
    const answer = await request({ kind: "identify", id, media: own, remember });
    // A remembered answer has dealt with the others already.
    if (!answer.ok && i === 0) return answer.why;
  }
  return "";
}

/**
 * What the link says, and where it is silent what the page has said.
 * @param {Unknown} unknown
 * @param {HTMLInputElement} link
 * @param {import("./kind-choice.js").KindChoice} kind
 * @param {() => Promise<void>} seek looks for it, where it is words
 * @returns {Promise<Media | null>}
 */
async function understood({ evidence }, link, kind, seek) {
  if (kind.missing()) return null;
  /** @type {Media | null | undefined} */
  const media = await ask({ kind: "identifyText", text: link.value, ...kind.chosen() });
  if (!media) {
    if (isWords(link.value)) await seek();
    else fault(link, text(link.value.trim() ? "faultLink" : "faultLinkEmpty"));
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
 * For what the answer is remembered: the series or the film on every site, where
 * the page names it, else the film on this site, or this page.
 * @param {Unknown} unknown
 */
function rememberWords({ host, kind, evidence }) {
  if (kind === "episode" && evidence.title && evidence.season !== undefined) return text("rememberSeries");
  if (evidence.title && evidence.year !== undefined) return text("rememberFilm");
  return evidence.title && kind === "movie" ? text("rememberFilmHere", host) : text("rememberPage", host);
}

/** @param {Unknown} unknown */
function headingOf({ title, evidence, names }) {
  if (evidence.title && place(evidence)) return `${evidence.title} ${place(evidence)}`;
  return names.length > 0 ? title : (evidence.title ?? title);
}
