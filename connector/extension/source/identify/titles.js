/**
 * Finds season and episode in a title, such as "S01E02" or "Staffel 1 Folge 2",
 * in twelve languages and some more. A title with two different places has none.
 */
import { ordinal } from "./ids.js";

const SEASON = "season|series|staffel|st\\.|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon|řada|сезон|시즌|シーズン|cyfres";
const EPISODE =
  "episode|ep\\.?|folge|flg\\.?|f\\.|épisode|ép\\.?|episodio|episódio|capítulo|cap\\.?|aflevering|afl\\.?|avsnitt|avsn\\.?|afsnit|" +
  "pennod|odcinek|odc\\.?|bölüm|díl|серия|эпизод|에피소드|エピソード|第";
/** Separators between season and episode. */
const JOINT = "\\s{0,2}[:.,·|/\\-–—]?\\s{0,2}";
const EDGES = ["(?<![\\p{L}\\d])", "話?(?!\\d)"];

/** @param {string} form @param {string} [flags] */
const whole = (form, flags = "giu") => new RegExp(EDGES.join(form), flags);

const FORMS = [
  whole("s(?<season>\\d{1,3})\\s{0,2}[:.,·\\-–/]?\\s{0,2}e(?:p|pisode)?\\.?\\s?(?<episode>\\d{1,4})"),
  whole("(?<season>\\d{1,2})x(?<episode>\\d{2,3})(?!\\p{L})"),
  whole(`(?:${SEASON})\\s{0,2}(?<season>\\d{1,3})${JOINT}(?:${EPISODE})\\s{0,2}(?<episode>\\d{1,4})`),
  // "T1:E2", "T1 Ep.3", "S1: afl. 6"
  whole(`[st](?<season>\\d{1,3})(?=[\\s:.,·])${JOINT}(?:e|${EPISODE})\\s?(?<episode>\\d{1,4})`),
  // "S2:F1", "S2:O3", "Ř22:D10", "С1:С2": other letters only with a colon between
  whole("[STŘС](?<season>\\d{1,3}):\\s?[ABDEFOÉС](?<episode>\\d{1,4})", "gu"),
  // "1. Sezon 2. Bölüm", "1 сезон 2 серия"
  whole("(?<season>\\d{1,3})\\.?\\s{0,2}(?:sezon|сезон|시즌)[\\s,:]{0,3}(?<episode>\\d{1,4})\\.?\\s{0,2}(?:bölüm|серия|화|회)"),
  // "Folge 8 Staffel 2"
  whole(`(?:${EPISODE})\\s{0,2}(?<episode>\\d{1,4})${JOINT}(?:${SEASON})\\s{0,2}(?<season>\\d{1,3})`),
];

/** An episode without its season: "E1", "Flg. 1", "5화", "2. Bölüm". */
const ALONE = [
  new RegExp(`^(?:[efb]|${EPISODE})\\s{0,2}(?<episode>\\d{1,4})(?![\\d\\p{L}])`, "iu"),
  new RegExp("^(?:第\\s?)?(?<episode>\\d{1,4})(?:\\s?(?:화|회|話|серия)|\\.\\s{0,2}bölüm)", "iu"),
];
/** Letters and a number, twice, such as "S2 F1": used only for texts that are known to start with the place. */
const LETTERED = /^\p{L}{1,2}\.?\s?(?<season>\d{1,3})\s{0,2}[:.,·\s]\s{0,2}\p{L}{1,3}\.?\s?(?<episode>\d{1,4})(?!\d)/u;

/** A second episode after the first: S01E01E02, S01E01-E02, S01E01-02. */
const DOUBLE = /^(?:\s?[-–&+/]?\s?e\d|\s?[-–&+/]\s?[abdfoé]\d|[-–/]\d|\s?[&+]\s?\d)/iu;
const MOST = 300;
const EDGE = /^[\s\-–—:|·•,.()[\]：「]+|[\s\-–—:|·•,(\[」]+$/g;

/**
 * @typedef {object} Place
 * @property {number} season
 * @property {number} episode
 * @property {string} before the text before the place: usually the series
 * @property {string} after
 */

/**
 * Finds the place in a title.
 * @param {unknown} title
 * @returns {Place | null} null when there is none, or when there are several
 */
export function placeIn(title) {
  if (typeof title !== "string") return null;
  const [first, ...others] = places(title);
  if (!first || [first, ...others].some((one) => one.double || one.season !== first.season || one.episode !== first.episode)) return null;
  return first;
}

/**
 * Finds all places in a title.
 * @param {string} title
 * @returns {(Place & {double: boolean})[]} double: another episode follows
 */
function places(title) {
  const text = narrow(title);
  return FORMS.flatMap((form) => [...text.matchAll(form)]).map((match) => {
    const after = text.slice(match.index + match[0].length);
    const [season, episode] = [ordinal(match.groups?.season, 0), ordinal(match.groups?.episode, 1)];
    const double = season === null || episode === null || DOUBLE.test(after);
    return { season: season ?? 0, episode: episode ?? 0, before: bare(title.slice(0, match.index)), after: bare(title.slice(match.index + match[0].length, MOST)), double };
  });
}

/**
 * @param {string} title
 * @returns {string} of the same length, with fullwidth characters replaced by ASCII
 */
const narrow = (title) => title.slice(0, MOST).replace(/[\uFF01-\uFF5E]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));

/**
 * Reads a text that is known to start with the place of an episode; the title may follow.
 * @param {string} text
 * @returns {{season?: number, episode: number, after: string} | null}
 */
export function placeOf(text) {
  const found = placeIn(text);
  if (found) return found;
  if (places(text).length > 0) return null;
  const start = narrow(text);
  for (const form of [...ALONE, LETTERED]) {
    const match = form.exec(start);
    const season = ordinal(match?.groups?.season, 0) ?? undefined;
    const episode = ordinal(match?.groups?.episode, 1);
    const after = start.slice(match?.[0].length);
    if (match && episode !== null) return DOUBLE.test(after) ? null : { ...(season !== undefined && { season }), episode, after: bare(text.slice(match[0].length, MOST)) };
  }
  return null;
}

/** Additions to the name of a series: " - Staffel 2", " [dt./OV]". */
const PART_OF_SERIES = new RegExp(`(?:\\s{0,2}[-–—,:(]?\\s{0,2}(?:${SEASON})\\s{0,2}\\d{1,3}\\)?|\\s{0,2}\\[[^\\]]{1,20}\\])$`, "iu");

/**
 * @param {string} name of a series
 * @returns {string} without season and brackets at its end
 */
export function withoutSeason(name) {
  for (let rest = name; rest !== ""; ) {
    const shorter = rest.replace(PART_OF_SERIES, "").trim();
    if (shorter === rest) return rest;
    rest = shorter;
  }
  return name;
}

/**
 * @param {string} text
 * @returns {string} without separators at its ends
 */
export function bare(text) {
  return text.replace(EDGE, "").trim();
}

/** Marks of an offer, as in "Watch The Matrix (1999) online". Without one, "Watch" may belong to the name of the film. */
const OFFERED = /^[^|]{0,40}\b(?:online|free|full movie|stream(?:ing)?)\b/iu;

/**
 * @param {unknown} title
 * @returns {{title: string, year: number} | null} null unless the title has the form "The Matrix (1999)"
 */
export function dated(title) {
  const match = typeof title === "string" ? /^(.{1,200}?)\s*\(((?:19|20)\d\d)\)(.*)$/u.exec(title.slice(0, MOST)) : null;
  if (!match) return null;
  const name = OFFERED.test(match[3]) ? match[1].replace(/^watch\s+/i, "") : match[1];
  return { title: bare(name), year: Number(match[2]) };
}
