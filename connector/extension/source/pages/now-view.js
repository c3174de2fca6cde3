/** What plays in the tab in front, and how far it is from "watched". */
import { allow, asksInPopup } from "./allow.js";
import { api } from "./api.js";
import { ask, request } from "./ask.js";
import { coverage, siteName, siteTyped } from "./coverage.js";
import { button, find, part } from "./elements.js";
import { say } from "./fields.js";
import { forWatchlist, nameOf } from "./media.js";
import { front, hear, survey } from "./tab.js";
import { withOffset } from "./typed.js";
import { minutes, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {import("../messages.js").NowAnswer} NowAnswer
 * @typedef {import("../messages.js").SittingAnswer} SittingAnswer
 * @typedef {import("./tab.js").Front} Front
 * @typedef {import("./tab.js").Around} Surroundings
 */

/** @param {() => Promise<void>} refresh */
export function nowView(refresh) {
  /** @type {NowAnswer} */
  let now = null;
  /** @type {Partial<SittingAnswer>} what the background says of it */
  let told = {};
  let known = "";
  let privately = false;
  /** @type {number | undefined} */
  let tab;
  /** The site that the button would allow. */
  let wanted = "";
  /** What the user has marked by hand while the popup is open. @type {Set<string>} */
  const marked = new Set();

  async function look() {
    const before = await front();
    tab = before.tab;
    const heard = tab === undefined ? undefined : await hear(tab);
    now = heard ?? null;
    const question = now ? `${now.sitting.id} ${before.title} ${JSON.stringify(now.sitting.evidence)}` : "";
    if (now && question !== known) {
      told = (await ask({ kind: "sitting", sitting: now.sitting, tab })) ?? {};
      known = question;
    }
    const { site, allowed } = before;
    const surroundings = tab !== undefined && allowed && !(now && told.certain) ? await survey(tab) : { player: "", why: undefined, least: 0 };
    part("now-playing").hidden = now === null;
    button("now-wish").hidden = !told.identified || !forWatchlist(told.identified);
    if (now) showPlaying(now, told, marked.has(now.sitting.id));
    const first = now ? "" : emptyWords(before, heard === undefined && !privately, surroundings);
    const closed = site !== null && !allowed;
    wanted = closed ? site : surroundings.player;
    const more = closed ? (now ? text("nowNotAllowed", siteName(site)) : "") : wanted && text("nowPlayer", siteName(wanted));
    show("now-empty", first);
    show("now-more", more);
    button("allow-site").hidden = wanted === "";
    if (wanted) button("allow-site").textContent = text("nowAllow", siteName(wanted));
  }

  button("now-mark").addEventListener("click", async () => {
    if (!now) return;
    const { sitting } = now;
    const answer = await ask({ kind: "watched", sitting: { ...sitting, at: withOffset(new Date()) }, tab });
    if (!answer?.kept) return say(notKept(answer?.reason));
    marked.add(sitting.id);
    await refresh();
    say(text("markKept", told.identified ? nameOf(told.identified) : nameSeen(sitting, told)));
    await look();
  });

  button("now-wish").addEventListener("click", async () => {
    const wish = told.identified && forWatchlist(told.identified);
    if (!wish) return;
    const answer = await request({ kind: "watchlist", media: wish });
    say(answer.ok ? text("wishKept", nameOf(wish)) : answer.why);
  });

  button("allow-site").addEventListener("click", async () => {
    const site = wanted;
    const origins = coverage(site.replace(/\/\*$/, ""));
    if (!origins) return;
    if (!asksInPopup()) return elsewhere(site);
    const trouble = await allow(origins);
    await refresh();
    say(trouble || text("siteAllowed", siteName(site)));
    await look();
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
 * The options ask for the site: a popup would be closed by the question.
 * @param {string} site
 */
async function elsewhere(site) {
  await api.tabs.create({ url: api.runtime.getURL(`pages/options.html#site=${encodeURIComponent(siteTyped(site))}`) });
  window.close();
}

/**
 * @param {string} id
 * @param {string} words nothing hides it
 */
function show(id, words) {
  part(id).hidden = words === "";
  put(part(id), words);
}

/**
 * @param {string | undefined} reason of the background
 */
function notKept(reason) {
  if (reason === "paused") return text("markPaused");
  return reason === "full" ? text("markFull") : text("markNotKept");
}

/**
 * Why nothing is shown as playing. That nothing plays is said only when it is
 * so.
 * @param {Front} front
 * @param {boolean} deaf the page does not know us
 * @param {Surroundings} surroundings
 */
function emptyWords({ site, allowed, audible }, deaf, { player, why, least }) {
  if (site !== null && !allowed) return text("nowNotAllowed", siteName(site));
  if (site !== null && deaf) return text("nowReload");
  if (why) return silenceWords(why, least ?? 0);
  if (player) return "";
  return text(audible ? "nowUnseen" : "nowNothing");
}

/**
 * @param {import("../messages.js").Silence} why
 * @param {number} least seconds
 */
function silenceWords(why, least) {
  switch (why) {
    case "muted":
      return text("whyMuted");
    case "short":
      return text("whyShort", minutes(least));
    case "live":
      return text("whyLive");
    case "length":
      return text("whyLength");
    case "hidden":
      return text("whyHidden");
    default:
      return text("whyPaused");
  }
}

/**
 * @param {Sitting} sitting
 * @param {Partial<SittingAnswer>} told
 */
const nameSeen = (sitting, { seen }) => seen?.title ?? (sitting.title.trim() || sitting.host);

/**
 * @param {NonNullable<NowAnswer>} now
 * @param {Partial<SittingAnswer>} told
 * @param {boolean} marked
 */
function showPlaying({ sitting, crossed, needs, why }, told, marked) {
  const { identified = null, certain, seen } = told;
  const host = seen?.host ?? sitting.host;
  part("now-title").textContent = identified && (certain || !seen) ? nameOf(identified) : nameSeen(sitting, told);
  part("now-site").textContent = identified ? host : text("nowUnknown", host);
  const done = crossed || marked;
  const counts = done || (typeof needs === "number" && Number.isFinite(needs) && sitting.duration > 0);
  const progress = find("now-progress", HTMLProgressElement);
  progress.hidden = !counts || Boolean(why && !marked);
  progress.value = done ? 1 : Math.min(1, sitting.played / Math.max(1, sitting.played + needs));
  put(part("now-words"), nowWords({ crossed, marked, counts, needs, why }));
  button("now-mark").hidden = done && !why;
}

/** @param {{crossed: boolean, marked: boolean, counts: boolean, needs: number, why?: import("../messages.js").Silence}} now */
function nowWords({ crossed, marked, counts, needs, why }) {
  if (marked) return text("nowMarked");
  if (why) return silenceWords(why, 0);
  if (crossed) return text("nowWatched");
  return counts ? text("nowNeeds", minutes(needs)) : text("nowUncounted");
}
