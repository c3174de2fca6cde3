/** What it may be, as buttons; and why the service was not asked. */
import { fits } from "../identify/kinds.js";
import { request } from "./ask.js";
import { make } from "./elements.js";
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").Unknown} Unknown
 * @typedef {import("../messages.js").Candidate} Candidate
 * @typedef {import("../messages.js").Media} Media
 */

/**
 * @param {Candidate} candidate
 * @param {Unknown["evidence"]} evidence
 * @returns {Media} an episode with the place that the page tells, if it does
 */
function mediaOf({ type, tmdb, title, year }, { season, episode }) {
  if (type === "movie") return { type: "movie", ids: { tmdb }, ...(title && { title }), ...(year && { year }) };
  const place = { ...(season !== undefined && { season }), ...(episode !== undefined && { episode }) };
  return { type: "episode", show: { ids: { tmdb }, ...(title && { title }) }, ...place };
}

/** @param {Candidate} candidate */
function nameOf({ type, tmdb, title, year }) {
  const named = year ? `${title} (${year})` : (title ?? "");
  if (type === "movie") return text("candidateFilm", title ? named : text("filmNumbered", tmdb));
  return text("candidateSeries", title ? named : text("seriesNumbered", tmdb));
}

/**
 * @param {Unknown} unknown
 * @param {(media: Media) => void} choose
 * @param {string} [heading]
 * @returns {HTMLElement[]}
 */
export function suggestions({ evidence, candidates = [], later }, choose, heading = text("candidates")) {
  if (later) return [make("p", { class: "muted" }, text("askedLater"))];
  const buttons = candidates.filter(({ type }) => fits(evidence, { type })).map((candidate) => {
    const button = make("button", { type: "button" }, nameOf(candidate));
    button.addEventListener("click", () => choose(mediaOf(candidate, evidence)));
    return button;
  });
  if (buttons.length === 0) return [];
  return [make("p", {}, heading), make("p", { class: "actions offers" }, ...buttons)];
}

/**
 * What words that the user has typed may mean.
 * @param {Unknown} unknown
 * @param {string} words
 * @param {(media: Media) => void} choose
 * @returns {Promise<HTMLElement[] | string>} or what is in the way
 */
export async function sought(unknown, words, choose) {
  const { kind } = unknown;
  const answer = await request({ kind: "candidates", words, ...(kind && { as: kind === "movie" ? "movie" : "tv" }) });
  if (!answer.ok) return answer.why;
  const found = suggestions({ ...unknown, candidates: answer.candidates, later: false }, choose, text("sought"));
  return found.length > 0 ? found : text("soughtNone");
}
