/** Shows what plays in the active tab, how much is missing until it counts as watched, or why it does not count. */
import { api } from "../api.js";
import { allow, ask, request } from "./ask.js";
import { button, find, part, say } from "./elements.js";
import { coverage, siteName, siteOf, siteTyped } from "./sites.js";
import { minutes, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").WatchlistMedia} WatchlistMedia
 * @typedef {import("../messages.js").SessionReport} SessionReport
 * @typedef {import("../messages.js").NowAnswer} NowAnswer
 * @typedef {import("../messages.js").Outlook} Outlook
 * @typedef {import("../messages.js").SessionAnswer} SessionAnswer
 *
 * @typedef {object} Front the active tab
 * @property {number} [tab]
 * @property {string | null} site as a match pattern; null when the tab shows no page of the web
 * @property {boolean} allowed
 * @property {boolean} audible
 * @property {string} title
 *
 * @typedef {object} Frames
 * @property {string} player the site of the largest player in a frame whose site is not allowed, or ""
 * @property {Outlook["why"]} [why] why the largest video that plays is not counted
 * @property {number} [least] seconds
 */

/** @returns {Promise<Front>} */
async function frontTab() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  const site = siteOf(tab?.url);
  const allowed = site !== null && (await api.permissions.contains({ origins: [site] }));
  return { site, allowed, audible: tab?.audible ?? false, title: tab?.title ?? "", tab: tab?.id };
}

/**
 * @param {number} tab
 * @returns {Promise<NowAnswer | undefined>} null when nothing plays; undefined when no content script runs there
 */
async function playingIn(tab) {
  try {
    return (await api.tabs.sendMessage(tab, { kind: "now" })) ?? null;
  } catch {
    return undefined;
  }
}

/** Runs in a frame: returns why what plays there does not count, if the content scripts run there. */
const whyNotCounted = () => globalThis.filmspool?.whyNotCounted?.() ?? null;

/**
 * Asks all frames of a tab whose sites are allowed.
 * @param {number} tab
 * @returns {Promise<Frames>}
 */
async function survey(tab) {
  const frames = await api.scripting.executeScript({ target: { tabId: tab, allFrames: true }, func: whyNotCounted }).catch(() => []);
  const outlooks = /** @type {Outlook[]} */ (frames.map(({ result }) => result).filter(Boolean));
  const { why, least } = outlooks.find((one) => one.why !== undefined) ?? {};
  for (const { site } of outlooks.flatMap(({ players }) => players).sort((one, other) => other.area - one.area)) {
    if (!(await api.permissions.contains({ origins: [site] }))) return { player: site, why, least };
  }
  return { player: "", why, least };
}

/** @param {() => Promise<void>} refresh */
export function nowView(refresh) {
  /** @type {NowAnswer} */
  let now = null;
  /** @type {Partial<SessionAnswer>} the answer of the background about it */
  let about = {};
  let known = "";
  /** @type {number | undefined} */
  let tab;
  /** The site that the button would allow. */
  let wanted = "";
  /** Sessions that were marked as watched while the popup is open. @type {Set<string>} */
  const marked = new Set();

  async function look() {
    const front = await frontTab();
    tab = front.tab;
    const playing = tab === undefined ? undefined : await playingIn(tab);
    now = playing ?? null;
    const question = now ? `${now.session.id} ${front.title} ${JSON.stringify(now.session.evidence)}` : "";
    if (now && question !== known) {
      about = (await ask({ kind: "session", session: now.session, tab })) ?? {};
      known = question;
    }
    const frames = tab !== undefined && front.allowed && !(now && about.certain) ? await survey(tab) : { player: "" };
    part("now-playing").hidden = now === null;
    button("now-watchlist").hidden = !about.identified || !forWatchlist(about.identified);
    if (now) showPlaying(now, about, marked.has(now.session.id));
    const closed = front.site !== null && !front.allowed;
    wanted = closed ? /** @type {string} */ (front.site) : frames.player;
    show("now-empty", now ? "" : emptyWords(front, playing === undefined, frames));
    show("now-more", closed ? (now ? text("nowNotAllowed", siteName(wanted)) : "") : wanted && text("nowPlayer", siteName(wanted)));
    button("allow-site").hidden = wanted === "";
    if (wanted) button("allow-site").textContent = text("nowAllow", siteName(wanted));
  }

  button("now-mark").addEventListener("click", async () => {
    if (!now) return;
    const { session } = now;
    const answer = await ask({ kind: "watched", session: { ...session, at: withOffset(new Date()) }, tab });
    if (!answer?.kept) return say(text(answer?.reason === "full" ? "markFull" : "markNotKept"));
    marked.add(session.id);
    await refresh();
    say(text("markKept", about.identified ? nameOf(about.identified) : nameSeen(session, about)));
    await look();
  });

  button("now-watchlist").addEventListener("click", async () => {
    const media = about.identified && forWatchlist(about.identified);
    if (media) say((await request({ kind: "watchlist", media })) || text("wishKept", nameOf(media)));
  });

  button("allow-site").addEventListener("click", async () => {
    const site = wanted;
    const origins = coverage(site.replace(/\/\*$/, ""));
    if (!origins) return;
    if (api.runtime.getURL("").startsWith("moz-")) return askInOptions(site); // Firefox closes the popup together with its question
    const trouble = await allow(origins);
    await refresh();
    say(trouble || text("siteAllowed", siteName(site)));
    await look();
  });

  return look;
}

/** @param {string} site */
async function askInOptions(site) {
  await api.tabs.create({ url: api.runtime.getURL(`pages/options.html#site=${encodeURIComponent(siteTyped(site))}`) });
  window.close();
}

/**
 * @param {string} id
 * @param {string} words hides the element when empty
 */
function show(id, words) {
  part(id).hidden = words === "";
  put(part(id), words);
}

/**
 * Explains why nothing is shown as playing.
 * @param {Front} front
 * @param {boolean} unknown whether no content script runs in the page
 * @param {Frames} frames
 */
function emptyWords({ site, allowed, audible }, unknown, { player, why, least }) {
  if (site !== null && !allowed) return text("nowNotAllowed", siteName(site));
  if (site !== null && unknown) return text("nowReload");
  if (why) return text(WHY[why], minutes(least ?? 0));
  if (player) return "";
  return text(audible ? "nowUnseen" : "nowNothing");
}

/** @type {Record<import("../messages.js").Silence, string>} */
const WHY = { muted: "whyMuted", short: "whyShort", live: "whyLive", length: "whyLength", hidden: "whyHidden", paused: "whyPaused" };

/**
 * @param {SessionReport} session
 * @param {Partial<SessionAnswer>} about
 */
const nameSeen = (session, { seen }) => seen?.title ?? (session.title.trim() || session.host);

/**
 * @param {NonNullable<NowAnswer>} now
 * @param {Partial<SessionAnswer>} about
 * @param {boolean} marked
 */
function showPlaying({ session, crossed, needs, why }, about, marked) {
  const { identified = null, certain, seen } = about;
  const host = seen?.host ?? session.host;
  part("now-title").textContent = identified && (certain || !seen) ? nameOf(identified) : nameSeen(session, about);
  part("now-site").textContent = identified ? host : text("nowUnknown", host);
  const done = crossed || marked;
  const counts = done || (Number.isFinite(needs) && session.duration > 0);
  const progress = find("now-progress", HTMLProgressElement);
  progress.hidden = !counts || Boolean(why && !marked);
  progress.value = done ? 1 : Math.min(1, session.played / Math.max(1, session.played + needs));
  button("now-mark").hidden = done && !why;
  const words = part("now-words");
  if (marked) put(words, text("nowMarked"));
  else if (why) put(words, text(WHY[why]));
  else if (crossed) put(words, text("nowWatched"));
  else put(words, counts ? text("nowNeeds", minutes(needs)) : text("nowUncounted"));
}

/**
 * Formats season and episode as S01E02, or the one that is known.
 * @param {{season?: number, episode?: number}} of
 */
function placeOf({ season, episode }) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return (season === undefined ? "" : `S${two(season)}`) + (episode === undefined ? "" : `E${two(episode)}`);
}

/** @param {Media | WatchlistMedia} media */
function nameOf(media) {
  if (media.type === "episode") {
    const { show, title, ids } = media;
    const series = show?.title ?? (show?.ids?.tmdb ? text("seriesNumbered", show.ids.tmdb) : title ?? show?.ids?.imdb ?? ids?.imdb ?? text("someEpisode"));
    return [series, placeOf(media)].filter(Boolean).join(" ");
  }
  const { type, ids, title, year } = media;
  const numbered = ids?.tmdb ? text(type === "movie" ? "filmNumbered" : "seriesNumbered", ids.tmdb) : undefined;
  const name = title ?? numbered ?? ids?.imdb ?? text("someFilm");
  return year ? `${name} (${year})` : name;
}

/**
 * @param {Media} media
 * @returns {WatchlistMedia | null} null when it has neither id nor title
 */
function forWatchlist({ type, ids, show, title, year }) {
  const work = type === "movie" ? { ids, title, year } : { ids: show?.ids, title: show?.title };
  if (!work.title && Object.keys(work.ids ?? {}).length === 0) return null;
  return { type: type === "movie" ? "movie" : "tv", ...work };
}

/**
 * Formats a time as RFC 3339 with the local offset.
 * @param {Date} when
 */
function withOffset(when) {
  const east = -when.getTimezoneOffset();
  const local = new Date(when.getTime() + east * 60_000).toISOString().slice(0, 19);
  const two = (/** @type {number} */ n) => String(Math.floor(Math.abs(n))).padStart(2, "0");
  return `${local}${east < 0 ? "-" : "+"}${two(east / 60)}:${two(east % 60)}`;
}
