/** What plays in the tab in front, and how far it is from "watched". */
import { api } from "./api.js";
import { ask, request } from "./ask.js";
import { button, find, part } from "./elements.js";
import { say } from "./fields.js";
import { forWatchlist, nameOf, seenTitle } from "./media.js";
import { readSite, siteName, withOffset } from "./typed.js";
import { minutes, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").NowAnswer} NowAnswer
 *
 * @typedef {object} Around
 * @property {() => Promise<void>} refresh
 * @property {(id: string) => boolean} needs goes to the question about an event, if there is one
 * @property {() => void} wish goes to the form that takes a link
 */

/** @param {Around} around */
export function nowView(around) {
  /** @type {NowAnswer} */
  let now = null;
  /** @type {Media | null} */
  let media = null;
  let known = "";
  let privately = false;
  /** What the user has marked by hand while the popup is open. @type {Set<string>} */
  const marked = new Set();

  async function look() {
    const { site, tab } = await front();
    const heard = tab === undefined ? undefined : await hear(tab);
    now = heard ?? null;
    part("now-playing").hidden = now === null;
    part("now-empty").hidden = now !== null;
    button("allow-site").hidden = true;
    if (!now) return void showEmpty(site, heard === undefined, privately);
    const question = `${now.sitting.id} ${JSON.stringify(now.sitting.evidence)}`;
    if (question !== known) {
      known = question;
      media = (await ask({ kind: "sitting", sitting: now.sitting }))?.identified ?? null;
    }
    button("now-wrong").hidden = media === null;
    if (now) showPlaying(now, media, marked.has(now.sitting.id));
  }

  button("now-mark").addEventListener("click", async () => {
    if (!now) return;
    const { sitting } = now;
    const answer = await ask({ kind: "watched", sitting: { ...sitting, at: withOffset(new Date()) } });
    if (!answer?.kept) return say(notKept(answer?.reason));
    marked.add(sitting.id);
    await around.refresh();
    if (around.needs(sitting.id)) return say(text("markKeptUnknown"));
    say(text("markKept", media ? nameOf(media) : seenTitle(sitting)));
    await look();
  });

  button("now-wish").addEventListener("click", async () => {
    const wish = media && forWatchlist(media);
    if (!wish) {
      around.wish();
      return say(text("wishNeedsLink"));
    }
    const answer = await request({ kind: "watchlist", media: wish });
    say(answer.ok ? text("wishKept", nameOf(wish)) : answer.why);
  });

  button("now-wrong").addEventListener("click", async () => {
    if (!now) return;
    const { sitting } = now;
    const answer = await request({ kind: "notThis", sitting });
    known = "";
    await around.refresh();
    await look();
    if (!answer.ok) return say(answer.why);
    say(text(answer.id && around.needs(answer.id) ? "notThisNow" : "notThisLater"));
  });

  button("allow-site").addEventListener("click", async () => {
    const { site } = await front();
    if (!site) return;
    await api.tabs.create({ url: api.runtime.getURL(`pages/options.html#site=${encodeURIComponent(siteName(site))}`) });
    window.close();
  });

  return {
    look,
    /** @param {State} state */
    show(state) {
      privately = state.settings.private || state.paused;
    },
  };
}

/**
 * @param {string | undefined} reason of the background
 */
function notKept(reason) {
  if (reason === "paused") return text("markPaused");
  return reason === "full" ? text("markFull") : text("markNotKept");
}

/** The tab in front: its site as a match pattern, and its id where the site is allowed. */
async function front() {
  const [tab] = await api.tabs.query({ active: true, currentWindow: true });
  const site = /^https?:/.test(tab?.url ?? "") ? readSite(/** @type {string} */ (tab.url)) : null;
  if (!site) return { site };
  const allowed = await api.permissions.contains({ origins: [site] });
  return { site, tab: allowed ? tab.id : undefined };
}

/**
 * @param {number} tab
 * @returns {Promise<NowAnswer | undefined>} undefined when the page does not know us
 */
async function hear(tab) {
  try {
    return (await api.tabs.sendMessage(tab, { kind: "now" })) ?? null;
  } catch {
    return undefined;
  }
}

/**
 * @param {string | null} site
 * @param {boolean} deaf the page has not heard us
 * @param {boolean} privately nothing is recorded now
 */
async function showEmpty(site, deaf, privately) {
  const allowed = site !== null && (await api.permissions.contains({ origins: [site] }));
  const asks = site !== null && !allowed;
  button("allow-site").hidden = !asks;
  if (asks) button("allow-site").textContent = text("nowAllow", siteName(site));
  const words = asks ? text("nowNotAllowed", siteName(site)) : allowed && deaf && !privately ? text("nowReload") : text("nowNothing");
  put(part("now-empty"), words);
}

/**
 * @param {NonNullable<NowAnswer>} now
 * @param {Media | null} media
 * @param {boolean} marked
 */
function showPlaying({ sitting, crossed, needs }, media, marked) {
  part("now-title").textContent = media ? nameOf(media) : seenTitle(sitting);
  part("now-site").textContent = media ? sitting.host : text("nowUnknown", sitting.host);
  const done = crossed || marked;
  const counts = done || (typeof needs === "number" && Number.isFinite(needs) && sitting.duration > 0);
  const progress = find("now-progress", HTMLProgressElement);
  progress.hidden = !counts;
  progress.value = done ? 1 : Math.min(1, sitting.played / Math.max(1, sitting.played + needs));
  put(part("now-words"), nowWords(crossed, marked, counts, needs));
  button("now-mark").hidden = done;
}

/**
 * @param {boolean} crossed
 * @param {boolean} marked
 * @param {boolean} counts
 * @param {number} needs
 */
function nowWords(crossed, marked, counts, needs) {
  if (crossed) return text("nowWatched");
  if (marked) return text("nowMarked");
  return counts ? text("nowNeeds", minutes(needs)) : text("nowUncounted");
}
