/** What popup and options ask for. */
import { fits } from "../identify/kinds.js";
import { suggested } from "./asking.js";
import { dismiss } from "./dismiss.js";
import { added, identified, isUUID, listed, open, wished } from "./events.js";
import { answerFor, mediaOf, recalled } from "./known.js";
import { LinkProblem } from "./problem.js";
import { fault, isAddress } from "./settings.js";
import { takeBack } from "./undo.js";
import { asked, isMistaken } from "./watching.js";

/**
 * @typedef {import("../messages.js").FromPage} FromPage
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Answer} Answer
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {import("../messages.js").Known} Known
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("./outbox.js").Event} Event
 */

/**
 * @typedef {object} Parts
 * @property {() => Promise<State>} state
 * @property {() => Promise<Settings>} settings
 * @property {(settings: Settings) => Promise<void>} saveSettings
 * @property {() => Promise<Known>} known
 * @property {(key: string, value: import("../messages.js").Remembered) => Promise<unknown>} remember
 * @property {(key: string) => Promise<unknown>} forgetAnswer
 * @property {(sitting: Sitting, known: Known) => Identified} identify
 * @property {(sitting: Sitting, identified: Identified) => import("../messages.js").Seen} seen
 * @property {import("./wrong.js").WrongBook} wrong
 * @property {(text: string, as?: "movie" | "tv" | "episode") => Media | null} typed
 * @property {import("./outbox.js").Outbox} outbox
 * @property {import("./link.js").Link} link
 * @property {import("./deliver.js").Delivery} delivery
 * @property {() => Promise<void>} forget the pairing
 * @property {{grant(origins: unknown): Promise<void>, ungrant(origins: unknown): Promise<void>}} sites
 * @property {() => void} changed
 */

/** The daemon's bounds of a search: characters of its words, and candidates. */
const MOST_WORDS = 200;
const MOST_FOUND = 8;

/** @type {Answer} */
const done = { ok: true };

/**
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<any>}
 */
export async function fromPage(parts, message) {
  try {
    return await handle(parts, message);
  } catch (error) {
    if (error instanceof LinkProblem) return { ok: false, code: error.code, message: error.message };
    return { ok: false, code: "INTERNAL", message: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<any>}
 */
function handle(parts, message) {
  switch (message.kind) {
    case "state":
      return look(parts);
    case "pair":
      return pair(parts, message);
    case "unpair":
      return unpair(parts);
    case "settings":
      return change(parts, message.settings);
    case "retry":
      return retry(parts);
    case "identify":
      return identify(parts, message);
    case "again":
      return again(parts, message.id);
    case "undo":
      return undo(parts, String(message.id));
    case "notThis":
      return notThis(parts, message.sitting);
    case "answers":
      return answers(parts);
    case "forgetAnswer":
      return forget(parts, String(message.key));
    case "candidates":
      return seek(parts, message);
    case "identifyText":
      return Promise.resolve(parts.typed(String(message.text), message.as));
    case "grant":
      return parts.sites.grant(message.origins).then(() => done);
    case "ungrant":
      return parts.sites.ungrant(message.origins).then(() => done);
    default:
      return dismiss(parts, message) ?? take(parts, message);
  }
}

/**
 * Whoever looks at a page wants to know how things stand now, so the daemon
 * is asked too; the answer comes with "changed".
 * @param {Parts} parts
 */
async function look({ state, delivery, link }) {
  const now = await state();
  if (!link.connected && now.link.state !== "unpaired") void delivery.wake();
  return now;
}

/**
 * @param {Parts} parts
 * @param {{code: string, label: string, address: string}} wish
 * @returns {Promise<Answer>}
 */
async function pair({ settings, saveSettings, link, delivery, changed }, { code, label, address }) {
  if (!isAddress(address)) return { ok: false, code: "ADDRESS", message: fault({ address }) };
  await link.pair({ code: String(code).slice(0, 40), label: String(label ?? "").slice(0, 80), address });
  await saveSettings({ ...(await settings()), address });
  await delivery.wake({ force: true });
  changed();
  return done;
}

/** @param {Parts} parts */
async function unpair({ forget, link, changed }) {
  await forget();
  link.unpaired();
  changed();
  return done;
}

/**
 * @param {Parts} parts
 * @param {Settings} wish
 * @returns {Promise<Answer>}
 */
async function change({ settings, saveSettings, link, delivery, changed }, wish) {
  const message = fault(wish);
  if (message) return { ok: false, code: "SETTINGS", message };
  const before = await settings();
  await saveSettings(wish);
  if (before.address !== wish.address) {
    link.drop(new LinkProblem("waiting", "MOVED", ""));
    void delivery.wake({ force: true });
  }
  changed();
  return done;
}

/** @param {Parts} parts */
async function retry({ delivery, changed }) {
  await delivery.wake({ force: true });
  changed();
  return done;
}

/**
 * An event by hand.
 * @param {Parts} parts
 * @param {FromPage} message
 * @returns {Promise<Answer>}
 */
async function take({ delivery }, message) {
  const id = crypto.randomUUID();
  const at = new Date().toISOString();
  /** @type {Event} */
  let event;
  if (message.kind === "add") event = added(id, message.media, message.watchedAt);
  else if (message.kind === "watchlist") event = wished(id, at, message.media, message.priority);
  else if (message.kind === "list") event = listed(id, at, message);
  else return { ok: false, code: "UNKNOWN_TYPE", message: "No such request." };
  if ((await delivery.put(event)) === "full") return { ok: false, code: "FULL", message: "Too much is waiting already; it could not be kept." };
  return { ok: true, id };
}

/**
 * Films and series by words that the user has typed.
 * @param {Parts} parts
 * @param {{words: string, as?: "movie" | "tv"}} wish
 * @returns {Promise<Answer>}
 */
async function seek({ delivery }, { words, as }) {
  const typed = [...String(words).trim()].slice(0, MOST_WORDS).join("");
  const answer = await delivery.ask({ type: "candidates", words: typed, ...(as && { kind: as }) }, { force: true });
  if (answer.type === "resolved" && answer.outcome === "open") return { ok: true, candidates: suggested(answer.candidates, MOST_FOUND) };
  if (answer.type === "resolved") return { ok: false, code: "SEEK_LATER", message: "Nobody can be asked now." };
  return { ok: false, code: answer.code === "UNKNOWN_TYPE" ? "SEEK_OLD" : String(answer.code), message: String(answer.message ?? "").slice(0, 300) };
}

/** How long an answer stays here before it is sent, so that it can be taken back, in milliseconds. */
export const GRACE = 8000;

/**
 * @param {Event} event
 * @param {Media} media
 * @returns {Event}
 */
const answered = (event, media) => ({ ...identified(event, media), after: Date.now() + GRACE });

/**
 * @param {Parts} parts
 * @param {{id: string, media: Media, remember: boolean}} wish
 * @returns {Promise<Answer>}
 */
async function identify(parts, { id, media, remember }) {
  const { outbox, delivery, changed } = parts;
  const unknown = await outbox.list("unknown");
  const event = unknown.find((each) => each.id === id);
  if (!event?.draft) return { ok: false, code: "NOT_FOUND", message: "It is not here any more." };
  if (!fits(event.draft.evidence, media)) {
    return { ok: false, code: media.type === "movie" ? "NOT_A_FILM" : "NOT_AN_EPISODE", message: "The answer is of another kind than the page." };
  }
  await delivery.add(() => outbox.identify(id, (now) => answered(now, media)));
  const answer = remember ? answerFor(whereOf(event.draft), media, event.title) : null;
  if (answer) {
    await parts.remember(answer.key, answer.value);
    await rest(parts, unknown.filter((each) => each !== event), { [answer.key]: answer.value });
  }
  changed();
  void delivery.wake();
  return done;
}

/** @param {import("./outbox.js").Draft} draft */
const whereOf = ({ source, evidence, key, progress }) => ({ host: source.site, evidence, page: key, duration: progress.duration });

/**
 * The same answer for all others that are waiting for it.
 * @param {Parts} parts
 * @param {Event[]} unknown
 * @param {Known} known
 */
async function rest({ outbox, delivery }, unknown, known) {
  for (const { id, draft } of unknown) {
    const found = draft && recalled(known, whereOf(draft));
    const media = found && mediaOf(found.answer, draft.evidence);
    if (media) await delivery.add(() => outbox.identify(id, (now) => answered(now, media)));
  }
}

/**
 * Takes a viewing back. One that was an answer is asked about again, and the
 * answer is not used any more.
 * @param {Parts} parts
 * @param {string} id
 * @returns {Promise<Answer>}
 */
async function undo(parts, id) {
  const was = (await parts.outbox.get(id)) ?? (await parts.outbox.recent()).find((one) => one.id === id);
  const back = await takeBack(parts, id);
  const found = back.ok && was?.draft && recalled(await parts.known(), whereOf(was.draft));
  if (found) await parts.forgetAnswer(found.key);
  return back;
}

/**
 * What is recognised as playing is something else. An answer that said so is
 * forgotten, and the user is asked what it is: once it counts as watched, or
 * now, if it was reported already and could be taken back.
 * @param {Parts} parts
 * @param {Sitting} sitting
 * @returns {Promise<Answer>}
 */
async function notThis(parts, sitting) {
  if (!isUUID(sitting?.id)) return { ok: false, code: "BAD_MESSAGE", message: "This is no sitting." };
  const found = parts.identify(sitting, await parts.known());
  if (found.key) await parts.forgetAnswer(found.key);
  await parts.wrong.add(sitting.id);
  parts.changed();
  const reported = (await parts.outbox.get(sitting.id)) ?? (await parts.outbox.recent()).find(({ id }) => id === sitting.id);
  if (reported?.state !== "waiting") return done;
  const id = crypto.randomUUID();
  const back = await takeBack(parts, sitting.id, ({ draft, at }) => (draft ? { id, state: "unknown", title: sitting.title, at, draft } : open({ ...sitting, at }, asked(found), { id, seen: parts.seen(sitting, found), mistaken: isMistaken(found) })));
  return back.ok ? { ok: true, id } : back;
}

/**
 * @param {Parts} parts
 * @returns {Promise<import("../messages.js").RememberedAnswer[]>} in the order of their sites
 */
async function answers({ known }) {
  const all = Object.entries(await known()).map(([key, value]) => ({ ...value, key, host: key.split("|")[0] }));
  return all.sort((one, other) => (one.key < other.key ? -1 : 1));
}

/**
 * @param {Parts} parts
 * @param {string} key
 * @returns {Promise<Answer>}
 */
async function forget({ forgetAnswer, changed }, key) {
  await forgetAnswer(key);
  changed();
  return done;
}

/**
 * @param {Parts} parts
 * @param {string} id
 */
async function again({ outbox, delivery, changed }, id) {
  await delivery.add(() => outbox.again(id));
  changed();
  void delivery.wake({ force: true });
  return done;
}
