/**
 * From what was watched or wished to an event of the outbox. Pure: the same
 * sitting makes the same event, byte by byte, so that it can be sent again.
 */
import { titled } from "../identify/kinds.js";
import { withoutSite } from "../identify/names.js";
import { pageKey } from "./known.js";

/**
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").WatchlistMedia} WatchlistMedia
 * @typedef {import("../messages.js").Identified} Identified
 * @typedef {import("../messages.js").Seen} Seen
 * @typedef {import("../messages.js").Known} Known
 * @typedef {import("../messages.js").Ids} Ids
 * @typedef {import("./outbox.js").Event} Event
 * @typedef {import("./outbox.js").Draft} Draft
 */

/** The daemon's bound of a text, in characters. */
const MOST_TEXT = 1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @param {unknown} id */
export const isUUID = (id) => typeof id === "string" && UUID.test(id);

/**
 * @param {string | undefined} text
 * @returns {string | undefined} undefined instead of nothing
 */
const short = (text) => (text ? [...text].slice(0, MOST_TEXT).join("") : undefined);

/** @param {unknown} n */
const seconds = (n) => (typeof n === "number" && n >= 0 && Number.isFinite(n) ? Math.round(n * 10) / 10 : 0);

/**
 * Leaves out what is not there: the protocol knows no null.
 * @template {Record<string, any>} T
 * @param {T} object
 * @returns {T}
 */
function lean(object) {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return /** @type {T} */ (Object.fromEntries(entries));
}

/**
 * @param {Ids | undefined} ids
 * @returns {Ids | undefined}
 */
function leanIds(ids) {
  const some = lean({ tmdb: ids?.tmdb, imdb: ids?.imdb, tvdb: ids?.tvdb });
  return Object.keys(some).length > 0 ? some : undefined;
}

/**
 * Only the protocol's fields, and only those that say something.
 * @template {Media | WatchlistMedia} T
 * @param {T} media
 * @returns {T}
 */
export function leanMedia(media) {
  const { type, ids, show, title, year, season, episode, site } = /** @type {Media} */ (media);
  const series = show && lean({ ids: leanIds(show.ids), title: short(show.title), year: show.year });
  const some = lean({ type, ids: leanIds(ids), show: series, title: short(title), year, season, episode, site });
  return /** @type {T} */ (some);
}

/**
 * An item in a person's words: "The Matrix (1999)", "Breaking Bad S01E02".
 * @param {Media | WatchlistMedia} media
 */
export function label(media) {
  const { type, ids, show, title, year, season, episode } = /** @type {Media} */ (media);
  const known = show?.ids ?? ids;
  const name = (type === "episode" ? show?.title : title) ?? title ?? known?.imdb ?? `TMDB ${known?.tmdb ?? "?"}`;
  if (type !== "episode") return year ? `${name} (${year})` : name;
  if (season === undefined || episode === undefined) return name;
  return `${name} S${String(season).padStart(2, "0")}E${String(episode).padStart(2, "0")}`;
}

/**
 * The page without its query and fragment, which may hold secrets.
 * @param {string} url
 */
function plainUrl(url) {
  try {
    const { protocol, origin, pathname } = new URL(url);
    return /^https?:$/.test(protocol) ? (origin + pathname).slice(0, 2000) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The page as a link for the user. It stays in the browser, so it may be whole.
 * @param {string} url
 */
function wholeUrl(url) {
  if (url.length > 2000 || !URL.canParse(url)) return undefined;
  const page = new URL(url);
  page.username = "";
  page.password = "";
  return /^https?:$/.test(page.protocol) ? page.href : undefined;
}

/**
 * @param {Sitting} sitting
 * @param {Identified["evidence"]} evidence
 * @param {Seen} [seen]
 * @returns {Draft}
 */
function draft(sitting, evidence, seen) {
  const address = wholeUrl(sitting.url);
  return {
    watchedAt: sitting.at,
    progress: { position: seconds(sitting.position), duration: seconds(sitting.duration), played: seconds(sitting.played) },
    source: lean({ site: short(sitting.host) ?? "", url: plainUrl(sitting.url) }),
    evidence,
    key: pageKey(sitting),
    ...(seen && { seen }),
    ...(address && { address }),
  };
}

/**
 * @param {string} id
 * @param {Media} media
 * @param {Pick<Draft, "watchedAt" | "progress" | "source">} from
 * @returns {Event}
 */
function viewing(id, media, { watchedAt, progress, source }) {
  const some = leanMedia(media);
  const message = { type: "viewing", id, media: some, watchedAt, progress, source };
  return { id, state: "waiting", title: label(some), at: watchedAt, message };
}

/** @param {Media} media */
const hasForeignIds = ({ ids, show }) => Boolean(ids?.imdb || ids?.tvdb || show?.ids?.imdb || show?.ids?.tvdb);

/**
 * What the service can be asked: a title, and of an episode its place.
 * @param {Media | null} media
 * @returns {media is Media}
 */
function canBeAsked(media) {
  if (media?.type === "movie") return Boolean(media.title || media.site?.title);
  return Boolean((media?.show?.title || media?.site?.series) && media.season !== undefined && media.episode !== undefined);
}

/**
 * What a card is called, where that is more than the site's name, and was not
 * read off something that stands somewhere on the page.
 * @param {Draft} draft
 */
function nameSeen({ seen, source: { site } }) {
  const title = short(seen?.title);
  const somewhere = seen?.names.some(({ from, text }) => from === "mention" && text === title);
  return title && title !== site && !somewhere && withoutSite(title, site) ? title : undefined;
}

/**
 * A name alone, of which nobody knows whether it is a film's or a series'. The
 * daemon suggests both, and is certain of neither.
 * @param {Draft} draft
 * @returns {Media | null}
 */
function byName(draft) {
  const { evidence, seen, source: { site } } = draft;
  const own = evidence.title && withoutSite(evidence.title, site) ? evidence.title : undefined;
  const title = own ?? seen?.guess?.series ?? nameSeen(draft);
  return title ? { type: "movie", title } : null;
}

/**
 * What is certain, or has an id that the daemon can look up, is sent. Of the
 * rest the service is asked first, and then the user; or it goes as a title,
 * if the user does not want to be asked. Never a guess.
 * @param {Sitting} sitting
 * @param {Identified} identified
 * @param {{askUnknown: boolean}} settings
 * @param {Seen} [seen] for the user, who may have to say what it was
 * @returns {Event}
 */
export function watched(sitting, { media, certain, evidence }, { askUnknown }, seen) {
  if (media && (certain || hasForeignIds(media) || !askUnknown)) return viewing(sitting.id, media, draft(sitting, evidence));
  const event = open(sitting, evidence, { seen });
  if (canBeAsked(media)) return { ...event, ask: { media: leanMedia(media), at: 0, tries: 0 } };
  const name = byName(/** @type {Draft} */ (event.draft));
  return name ? { ...event, ask: { media: name, at: 0, tries: 0, open: true } } : event;
}

/**
 * Watched, and only the user can say what it was.
 * @param {Sitting} sitting
 * @param {Identified["evidence"]} evidence
 * @param {{id?: string, seen?: Seen, mistaken?: boolean}} [how] seen: for the user; mistaken: the page itself has named
 *   the wrong item
 * @returns {Event}
 */
export function open(sitting, evidence, { id = sitting.id, seen, mistaken = false } = {}) {
  const title = short(seen?.title) ?? short(evidence.title) ?? short(sitting.title) ?? sitting.host;
  return { id, state: "unknown", title, at: sitting.at, draft: { ...draft(sitting, evidence, seen), ...(mistaken && { mistaken }) } };
}

/**
 * The event that was unknown, now that the user or the service has said what
 * it was. The draft stays with it: the answer may be taken back.
 * @param {Event} event
 * @param {Media} media
 * @returns {Event}
 */
export function identified(event, media) {
  const from = /** @type {Draft} */ (event.draft);
  return { ...event, ...viewing(event.id, called(titled(media, from.evidence), from), from) };
}

/**
 * The item by the name that was seen, where neither the answer nor the page's
 * evidence has one: who reads the diary knows no numbers.
 * @param {Media} media
 * @param {Draft} draft
 * @returns {Media}
 */
function called(media, draft) {
  if (media.title || media.show?.title || draft.mistaken) return media;
  const series = draft.seen?.guess?.series;
  if (media.show && series) return { ...media, show: { ...media.show, title: series } };
  const title = nameSeen(draft);
  return title ? { ...media, title } : media;
}

/**
 * A viewing by hand.
 * @param {string} id
 * @param {Media} media
 * @param {string} watchedAt
 * @returns {Event}
 */
export function added(id, media, watchedAt) {
  const some = leanMedia(media);
  return { id, state: "waiting", title: label(some), at: watchedAt, message: { type: "viewing", id, media: some, watchedAt } };
}

/**
 * @param {string} id
 * @param {string} at
 * @param {WatchlistMedia} media
 * @param {number} [priority]
 * @returns {Event}
 */
export function wished(id, at, media, priority) {
  const some = leanMedia(media);
  return { id, state: "waiting", title: label(some), at, message: lean({ type: "watchlist", id, media: some, priority }) };
}

/**
 * @param {string} id
 * @param {string} at
 * @param {{name: string, description?: string, visibility?: string}} list
 * @returns {Event}
 */
export function listed(id, at, { name, description, visibility }) {
  return { id, state: "waiting", title: name, at, message: lean({ type: "list", id, name, description, visibility }) };
}
