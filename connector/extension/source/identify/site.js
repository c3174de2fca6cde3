/**
 * Interprets what the rule of a site has read. When its sources contradict each
 * other, or one source has given different items, nothing is known.
 */
import { rules } from "../sites/index.js";
import { imdbId, ordinal, words, year } from "./ids.js";
import { bare, placeOf, withoutSeason } from "./titles.js";

/** @typedef {import("../messages.js").SiteEvidence} SiteEvidence */

/** An identifier of a site, as the protocol allows it. */
const NUMBER = /^[!-~]{1,128}$/;

/** @param {unknown} value @returns {string | undefined} */
const number = (value) => (typeof value === "string" && NUMBER.test(value) ? value : undefined);

/**
 * Parses the parts of one source.
 * @param {any} said what one source gave
 * @returns {Record<string, any>}
 */
function read(said) {
  const [name, series, film, text] = [words(said.name), words(said.series), words(said.film), words(said.place)];
  const place = text === undefined ? null : placeOf(text);
  const kind = said.kind === "movie" || said.kind === "episode" ? said.kind : undefined;
  const is = kind ?? (film ? "movie" : series || place ? "episode" : undefined);
  const called = name ?? series ?? film;
  return {
    kind: is,
    weak: said.alone === "movie" ? "movie" : undefined,
    name: is === "episode" && called ? withoutSeason(called) : called,
    title: words(said.title) ?? (place?.after || undefined),
    season: place?.season ?? ordinal(said.season, 0) ?? undefined,
    episode: place?.episode ?? ordinal(said.episode, 1) ?? undefined,
    year: year(said.year) ?? undefined,
    titleNumber: number(said.titleNumber),
    seriesNumber: number(said.seriesNumber),
  };
}

/** @param {unknown} value */
const plain = (value) => (typeof value === "string" ? value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") : value);

/**
 * @param {Record<string, any>[]} sources
 * @param {string} part
 * @returns {any} the common value; null when they contradict each other
 */
function common(sources, part) {
  const told = sources.map((one) => one[part]).filter((one) => one !== undefined);
  return new Set(told.map(plain)).size > 1 ? null : told[0];
}

/** @param {any} evidence of the rule @returns {any[]} what each source gave */
const told = ({ said }) => (Array.isArray(said) ? said.slice(0, 10).filter((one) => one && typeof one === "object") : []);

/** @param {"ids" | "showIds"} name @param {unknown} value @returns {import("./evidence.js").Collected} */
function imdb(name, value) {
  const known = imdbId(value);
  return known === null ? {} : { [name]: { imdb: known } };
}

/**
 * Interprets the evidence of a rule.
 * @param {any} evidence of a content script, not checked
 * @returns {import("./evidence.js").Collected & {torn?: boolean}} torn when it
 *   contradicts itself
 */
export function fromSite(evidence) {
  if (!Object.hasOwn(rules, String(evidence?.name))) return {};
  const sources = told(evidence).map(read);
  const numbers = evidence.numbers ?? {};
  const at = evidence.kind === "movie" || evidence.kind === "episode" ? evidence.kind : undefined;
  const place = { kind: at, season: ordinal(numbers.season, 0) ?? undefined, episode: ordinal(numbers.number, 1) ?? undefined };
  const all = [...sources, place];
  const kind = common(all, "kind");
  const found = Object.fromEntries(["name", "season", "episode", "year", "titleNumber", "seriesNumber"].map((part) => [part, common(all, part)]));
  if (evidence.torn || kind === null || Object.values(found).includes(null)) return { torn: true };
  const is = kind ?? common(sources, "weak");
  const { name, season, episode } = found;
  const media = {
    name: String(evidence.name),
    title: number(found.titleNumber ?? numbers.title ?? (is === "movie" ? numbers.film : numbers.episode)),
    series: is === "movie" ? undefined : number(found.seriesNumber ?? numbers.series),
    numbering: season !== undefined ? "site" : undefined,
  };
  const site = media.title || media.series ? { site: JSON.parse(JSON.stringify(media)) } : {};
  if (!is) return { title: name, ...site };
  const ids = imdb("ids", numbers.imdb);
  if (is === "movie") return { kind: is, title: name, year: found.year, ...ids, ...site };
  const title = bare(sources.find(({ title }) => title)?.title ?? "") || undefined;
  return { kind: "episode", seriesTitle: name, season, episode, title, ...ids, ...imdb("showIds", numbers.seriesImdb), ...site };
}
