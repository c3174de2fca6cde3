/**
 * The key under which the user's answer to "what was it?" is remembered: once
 * for a series on a site, once for a film.
 * @param {string} host
 * @param {import("../messages.js").Identified["evidence"]} evidence
 * @returns {string | null} null when there is too little to recognise it again
 */
export function knownKey(host, { title, year, kind, season, episode }) {
  if (!host || !title) return null;
  const name = title.trim().toLowerCase();
  if (kind === "movie") return `${host}|film|${name}|${year ?? ""}`;
  if (kind === "episode" || (season !== undefined && episode !== undefined)) return `${host}|${name}`;
  return null;
}
