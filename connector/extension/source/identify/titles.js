/**
 * Reads a season and an episode out of a title, where the title says both in
 * so many words or signs. A title with two such places says none.
 */
import { ordinal } from "./ids.js";

const SEASON = "season|series|staffel|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon";
const EPISODE = "episode|ep\\.?|folge|épisode|episodio|episódio|aflevering|avsnitt|afsnit|odcinek";

const FORMS = [
  /(?<![\p{L}\d])s(?<season>\d{1,3})\s{0,2}[:.,·\-–]?\s{0,2}e(?:p|pisode)?\.?\s?(?<episode>\d{1,4})(?!\d)/giu,
  /(?<![\p{L}\d])(?<season>\d{1,2})x(?<episode>\d{2,3})(?![\p{L}\d])/giu,
  new RegExp(
    `(?<![\\p{L}\\d])(?:${SEASON})\\s{0,2}(?<season>\\d{1,3})\\s{0,2}[:.,·|/\\-–—]?\\s{0,2}` +
      `(?:${EPISODE})\\s{0,2}(?<episode>\\d{1,4})(?!\\d)`,
    "giu",
  ),
];

/** What joins a second episode to the first: S01E01E02, S01E01-E02, S01E01-02. */
const DOUBLE = /^(?:\s?[-–&+]?\s?e\d|[-–]\d)/i;
const MOST = 300;
const EDGE = /^[\s\-–—:|·•,.()[\]]+|[\s\-–—:|·•,(\[]+$/g;

/**
 * @typedef {object} Place
 * @property {number} season
 * @property {number} episode
 * @property {string} before what stands before the place: the series, as a rule
 * @property {string} after
 */

/**
 * @param {unknown} title
 * @returns {Place | null}
 */
export function placeIn(title) {
  if (typeof title !== "string") return null;
  const text = title.slice(0, MOST);
  /** @type {Place[]} */
  const places = [];
  for (const form of FORMS) {
    for (const match of text.matchAll(form)) {
      const season = ordinal(match.groups?.season, 0);
      const episode = ordinal(match.groups?.episode, 1);
      const after = text.slice(match.index + match[0].length);
      if (season === null || episode === null || DOUBLE.test(after)) return null;
      places.push({ season, episode, before: bare(text.slice(0, match.index)), after: bare(after) });
    }
  }
  const [first, ...others] = places;
  if (!first || others.some((one) => one.season !== first.season || one.episode !== first.episode)) return null;
  return first;
}

/**
 * @param {string} text
 * @returns {string} without the signs that join parts of a title
 */
export function bare(text) {
  return text.replace(EDGE, "").trim();
}

/** "Watch The Matrix (1999) online": a film may be called "Watch …", but then nothing of this follows. */
const OFFERED = /^[^|]{0,40}\b(?:online|free|full movie|stream(?:ing)?)\b/iu;

/**
 * @param {unknown} title
 * @returns {{title: string, year: number} | null} of "The Matrix (1999)", and nothing less plain
 */
export function dated(title) {
  const match = typeof title === "string" ? /^(.{1,200}?)\s*\(((?:19|20)\d\d)\)(.*)$/u.exec(title.slice(0, MOST)) : null;
  if (!match) return null;
  const name = OFFERED.test(match[3]) ? match[1].replace(/^watch\s+/i, "") : match[1];
  return { title: bare(name), year: Number(match[2]) };
}
