/**
 * Chooses a name for what plays on a page, by which a person can recognise it.
 * The other files of this folder identify it.
 */
import { texts, words } from "./ids.js";

/**
 * A name on a page and where it was found: title, artist or album of the media session, the answer of a media server or
 * the JSON-LD ("described", "series"), a heading, the document title, or another text ("mention").
 * @typedef {{from: "session" | "artist" | "album" | "described" | "series" | "heading" | "title" | "mention", text: string}} Name
 *
 * @typedef {import("../messages.js").Seen} Seen
 * @typedef {import("../messages.js").Identified} Identified
 */

const MOST = 12;

/** Names of pages and players that are no name of a film. */
const EMPTY = new Set([
  "player", "videoplayer", "video", "embed", "home", "watch", "watchnow", "nowplaying", "loading", "untitled", "index", "menu", "movie", "film", "episode", "stream",
]);

/** The number of a season or episode without a name. */
const PART = /^(?:season|series|episode|ep|part|staffel|folge|teil|saison|temporada|capítulo|episodio|épisode)\d{1,4}$/u;

const SEASON = /^\s*(?:season|series|staffel|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon)\s{0,2}\d{1,3}\s*$/iu;

/** Separators between the name of a film and that of the site. */
const JOINTS = /\s+[|·•–—-]\s+|\s*\|\s*/u;

/** @param {string} text */
const plain = (text) => text.toLowerCase().replaceAll("+", "plus").replace(/[^\p{L}\p{N}]/gu, "");

/**
 * @param {string} text
 * @param {string} host
 * @returns {boolean} whether it is empty, generic, or only the name of the site
 */
function isEmptyName(text, host) {
  const name = plain(text);
  return name === "" || EMPTY.has(name) || PART.test(name) || namesSite(name, host);
}

/**
 * @param {string} name plain
 * @param {string} host
 */
function namesSite(name, host) {
  const labels = host.toLowerCase().split(".").filter((label) => label !== "www").slice(0, -1);
  const all = [...labels, labels.join(""), [...labels].reverse().join("")].map(plain);
  return all.some((label) => label === name || (name.length >= 3 && (label.endsWith(name) || label.startsWith(name))));
}

/**
 * @param {string} title document.title
 * @param {string} host
 * @returns {string} without the name of the site and a count of notifications, as in "(3) Title | Site"; "" when nothing is left
 */
export function withoutSite(title, host) {
  const parts = title.replace(/^\(\d{1,3}\+?\)\s+/, "").split(JOINTS);
  const kept = parts.filter((part) => !namesSite(plain(part), host)).join(" – ");
  return isEmptyName(kept, host) ? "" : kept;
}

/**
 * Reads the names in JSON-LD; those of videos come last.
 * @param {any} jsonld
 * @returns {Name[]}
 */
function described(jsonld) {
  const all = Array.isArray(jsonld) ? jsonld.slice(0, 10) : [];
  const films = [...all].sort((one, other) => Number(one?.type === "VideoObject") - Number(other?.type === "VideoObject"));
  return films.flatMap((one) => [name("described", one?.name), name("series", one?.series?.name ?? one?.partOfSeason?.series?.name)]).flat();
}

/**
 * @param {Name["from"]} from
 * @param {unknown} value
 * @returns {Name[]} one, or none
 */
function name(from, value) {
  const text = words(value);
  return text ? [{ from, text }] : [];
}

/**
 * @param {{title: string, evidence: any}} page
 * @returns {Name[]} the strongest first, each once
 */
function namesOf({ title, evidence }) {
  const { mediaSession, jsonld, provider, headings, mentions } = evidence ?? {};
  const all = [
    ...name("session", mediaSession?.title), ...name("artist", mediaSession?.artist), ...name("album", mediaSession?.album),
    ...name("described", provider?.title), ...name("series", provider?.seriesTitle), ...described(jsonld),
    ...texts(headings).flatMap((heading) => name("heading", heading)), ...name("title", title),
    ...texts(mentions).flatMap((mention) => name("mention", mention)),
  ];
  return all.filter(({ text }, i) => all.findIndex((one) => one.text.toLowerCase() === text.toLowerCase()) === i).slice(0, MOST);
}

/**
 * Finds the series in a media session: when artist or album is a season, such as "Season 1", the other is the series.
 * @param {any} session
 * @returns {string | undefined}
 */
function guessed(session) {
  const names = [words(session?.artist), words(session?.album)];
  return names.some((one) => SEASON.test(one ?? "")) ? names.find((one) => one !== undefined && !SEASON.test(one)) : undefined;
}

/** @param {{season?: number, episode?: number}} of */
function place({ season, episode }) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return season === undefined || episode === undefined ? "" : `S${two(season)}E${two(episode)}`;
}

/**
 * Chooses the best name for the popup.
 * @param {{host: string, title: string}} page
 * @param {Identified["evidence"]} evidence
 * @param {Name[]} names
 * @param {string | undefined} guess
 * @returns {string}
 */
function best({ host, title }, evidence, names, guess) {
  if (evidence.title && evidence.kind !== "episode") return evidence.year ? `${evidence.title} (${evidence.year})` : evidence.title;
  if (evidence.title && place(evidence)) return `${evidence.title} ${place(evidence)}`;
  const own = names.filter(({ from, text }) => from !== "artist" && from !== "album" && from !== "series" && !isEmptyName(text, host));
  const [first] = own.filter(({ from }) => from !== "title" && from !== "mention");
  const mention = own.find(({ from }) => from === "mention")?.text;
  const told = first?.text ?? (withoutSite(title, host) || mention);
  const series = evidence.title ?? guess;
  if (series && first && plain(first.text) !== plain(series)) return `${series}: ${first.text}`;
  return series ?? told ?? (title.trim() || host);
}

/**
 * Returns the best name, and whether it is good enough to be sent.
 * @param {{host: string, title: string, evidence: any}} page a session, or a page
 * @param {Identified} identified
 * @returns {Seen}
 */
export function seen(page, { evidence }) {
  const { host } = page;
  const names = namesOf(page);
  const guess = guessed(page.evidence?.mediaSession);
  const title = best(page, evidence, names, guess).slice(0, 300);
  const own = evidence.title && withoutSite(evidence.title, host) ? evidence.title : guess;
  const somewhere = names.some(({ from, text }) => from === "mention" && text === title);
  const name = own ?? (title !== host && !somewhere && withoutSite(title, host) ? title : undefined);
  return { title, ...(name && { name }) };
}
