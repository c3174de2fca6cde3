/**
 * Checks and parses values of a page: texts, numbers, and the addresses and
 * identifiers of themoviedb.org and imdb.com. Invalid values are not repaired.
 */

const MOST_TEXT = 300;

/** The largest identifier. */
const LARGEST = Number.MAX_SAFE_INTEGER;

/**
 * What an address of themoviedb.org names: a film, a series, or with season and episode an episode.
 * @typedef {{kind: "movie", tmdb: number}
 *   | {kind: "tv", tmdb: number, season?: number, episode?: number}} Named
 */

/**
 * @param {unknown} value
 * @returns {number | null} a positive whole number
 */
export function positive(value) {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number > 0 && number <= LARGEST ? number : null;
}

/**
 * @param {unknown} value
 * @param {number} least
 * @returns {number | null} a whole number from least to 99,999
 */
export function ordinal(value, least) {
  const number = typeof value === "string" && /^\d{1,5}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= least && number <= 99_999 ? number : null;
}

/**
 * @param {unknown} value
 * @returns {number | null} a year in which a film can have been made
 */
export function year(value) {
  const match = typeof value === "string" ? /^(\d{4})(?:-|$)/.exec(value.trim()) : null;
  const number = match ? Number(match[1]) : value;
  return typeof number === "number" && Number.isInteger(number) && number >= 1870 && number <= 2200 ? number : null;
}

/**
 * @param {unknown} value
 * @returns {string | null} "tt" and digits
 */
export function imdbId(value) {
  return typeof value === "string" && /^tt\d{1,12}$/.test(value) ? value : null;
}

/**
 * @param {unknown} href
 * @returns {URL | null} an address over http or https
 */
export function parse(href) {
  if (typeof href !== "string" || href.length > 2000) return null;
  try {
    const url = new URL(href);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

/**
 * Reads https://www.themoviedb.org/movie/603-the-matrix,
 * …/tv/1396-breaking-bad and …/tv/1396/season/1/episode/2.
 * @param {unknown} href
 * @returns {Named | null}
 */
export function fromTmdb(href) {
  const url = parse(href);
  if (!url || !/^(?:www\.)?themoviedb\.org$/.test(url.hostname)) return null;
  const [, kind, id, rest = ""] = /^\/(movie|tv)\/(\d{1,16})(?:-[^/]*)?(\/.*)?$/.exec(url.pathname) ?? [];
  const tmdb = positive(id);
  if (!tmdb) return null;
  if (kind === "movie") return { kind, tmdb };
  const [, season, episode] = /^\/season\/(\d{1,5})(?:\/episode\/(\d{1,5}))?(?:\/|$)/.exec(rest) ?? [];
  const place = { season: ordinal(season, 0) ?? undefined, episode: ordinal(episode, 1) ?? undefined };
  return { kind: "tv", tmdb, ...(place.season === undefined ? {} : place) };
}

/**
 * @param {unknown} href
 * @returns {string | null} the id in an address such as https://www.imdb.com/title/tt0133093/
 */
export function fromImdb(href) {
  const url = parse(href);
  if (!url || !/^(?:[a-z]{1,3}\.)?imdb\.com$/.test(url.hostname)) return null;
  return imdbId(/^\/(?:[a-z]{2}(?:-[a-z]{2})?\/)?title\/(tt\d{1,12})(?:\/|$)/i.exec(url.pathname)?.[1]);
}

/**
 * @param {string[]} refs addresses
 * @returns {Named | null} the film or series that all name; without season and episode when these differ
 */
export function tmdbOf(refs) {
  const named = refs.map(fromTmdb).filter((one) => one !== null);
  const [first] = named;
  if (!first || named.some((one) => one.kind !== first.kind || one.tmdb !== first.tmdb)) return null;
  const placed = named.filter((one) => one.kind === "tv" && one.episode !== undefined);
  const places = new Set(placed.map((one) => JSON.stringify(one)));
  return places.size === 1 ? placed[0] : { kind: first.kind, tmdb: first.tmdb };
}

/**
 * @param {string[]} refs addresses
 * @returns {string | undefined} the one imdb id among them
 */
export function imdbOf(refs) {
  const ids = new Set(refs.map(fromImdb).filter((one) => one !== null));
  return ids.size === 1 ? [...ids][0] : undefined;
}

/**
 * @param {unknown} value
 * @returns {string | undefined} trimmed and cut; undefined when it is empty
 */
export function words(value) {
  const text = typeof value === "string" ? value.slice(0, MOST_TEXT).trim() : "";
  return text === "" ? undefined : text;
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
export function texts(value) {
  return Array.isArray(value) ? value.slice(0, 20).filter((one) => typeof one === "string") : [];
}

/**
 * Removes undefined and null fields.
 * @template {Record<string, any>} T
 * @param {T} object
 * @returns {Partial<T>}
 */
export function lean(object) {
  return /** @type {Partial<T>} */ (Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null)));
}
