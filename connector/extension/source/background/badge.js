/**
 * The button's badge and title: what waits, and what needs the user. The
 * badge says it with a sign as well as with a colour, the title with words.
 */
import { api } from "../api.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {{text: string, color: string, key: string, args: string[]}} Badge
 */

const TROUBLE = "#a5271d";
const WAITING = "#1f4e9c";
const QUIET = "#4d4d4d";

/**
 * @param {string} text
 * @param {string} color
 * @param {string} key of its title
 * @param {...(string | number)} args
 * @returns {Badge}
 */
const badge = (text, color, key, ...args) => ({ text, color, key, args: args.map(String) });

/** The link's states that need the person. @type {Record<string, string>} */
const BROKEN = { revoked: "badgeRevoked", stranger: "badgeStranger", old: "badgeOld" };

/**
 * The most pressing first.
 * @param {Pick<State, "link" | "daemon" | "outbox" | "paused">} state
 * @returns {Badge}
 */
export function badgeOf({ link, daemon, outbox, paused }) {
  const { waiting, full, rejected } = outbox;
  if (full) return badge("!", TROUBLE, "badgeFull");
  if (BROKEN[link.state]) return badge("!", TROUBLE, BROKEN[link.state]);
  // A first step that is still to be taken is no trouble, until something waits for it.
  if (link.state === "unpaired") return waiting + rejected.length > 0 ? badge("!", TROUBLE, "badgeUnpaired") : badge("…", QUIET, "badgeUnpaired");
  if (rejected.length > 0) return badge("!", TROUBLE, "badgeRejected", rejected.length);
  if (waiting > 0) return badge(waiting > 999 ? "999+" : String(waiting), WAITING, "badgeWaiting", waiting);
  const worst = daemon?.problems.find(({ severity }) => severity === "needs you");
  if (worst) return badge("!", TROUBLE, "badgeProblem", worst.text);
  if (daemon && daemon.attention > 0) return badge("!", TROUBLE, "badgeAttention", daemon.attention);
  if (paused) return badge("II", QUIET, "badgePaused");
  return badge("", QUIET, "name");
}

/** @param {State} state */
export async function showBadge(state) {
  const { text, color, key, args } = badgeOf(state);
  await Promise.all([
    api.action.setBadgeText({ text }),
    api.action.setBadgeBackgroundColor({ color }),
    api.action.setBadgeTextColor?.({ color: "#ffffff" }),
    api.action.setTitle({ title: api.i18n.getMessage(key, args) }),
  ]);
}
