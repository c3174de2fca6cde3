/**
 * A film is no episode. A page that tells which of the two it shows is not
 * answered by the other.
 */

/**
 * @typedef {import("../messages.js").Identified["evidence"]} Evidence
 * @typedef {import("../messages.js").Media} Media
 */

/**
 * @param {Evidence} evidence
 * @returns {"movie" | "episode" | null} null when the page does not tell
 */
export function kindOf({ kind, season, episode }) {
  return kind ?? (season !== undefined && episode !== undefined ? "episode" : null);
}

/**
 * @param {Evidence} evidence
 * @param {{type: "movie" | "episode" | "tv"}} media
 * @returns {boolean} whether it can be what the page shows
 */
export function fits(evidence, { type }) {
  const kind = kindOf(evidence);
  return kind === null || (kind === "movie") === (type === "movie");
}

/**
 * The item with what the page has told of its name and year, where it has
 * none of its own.
 * @param {Media} media
 * @param {Evidence} evidence
 * @returns {Media}
 */
export function titled(media, { title, year }) {
  if (!title) return media;
  if (media.type === "movie") return media.title ? media : { ...media, title, ...(year !== undefined && { year }) };
  if (media.show?.title) return media;
  return { ...media, show: { ...media.show, title } };
}
