/**
 * Chooses the badge and the title of the toolbar button, which show what waits
 * and what needs the user. The badge never uses a colour alone.
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

/** Titles for the link states that need the user. @type {Record<string, string>} */
const BROKEN = { revoked: "badgeRevoked", stranger: "badgeStranger", old: "badgeOld" };

/**
 * Returns the badge for the most urgent problem.
 * @param {Pick<State, "link" | "daemon" | "outbox" | "paused">} state
 * @returns {Badge}
 */
export function badgeOf({ link, daemon, outbox, paused }) {
  const { waiting, full, rejected } = outbox;
  if (full) return badge("!", TROUBLE, "badgeFull");
  if (BROKEN[link.state]) return badge("!", TROUBLE, BROKEN[link.state]);
  // A missing pairing is the first step and no trouble, until something waits for it.
  if (link.state === "unpaired") return waiting + rejected.length > 0 ? badge("!", TROUBLE, "badgeUnpaired") : badge("…", QUIET, "badgeUnpaired");
  if (rejected.length > 0) return badge("!", TROUBLE, "badgeRejected", rejected.length);
  if (waiting > 0) return badge(waiting > 999 ? "999+" : String(waiting), WAITING, "badgeWaiting", waiting);
  const worst = daemon?.problems.find(({ severity }) => severity === "needs you");
  if (worst) return badge("!", TROUBLE, "badgeProblem", worst.text);
  if (daemon && daemon.attention > 0) return badge("!", TROUBLE, "badgeAttention", daemon.attention);
  if (paused) return badge("II", QUIET, "badgePaused");
  return badge("", QUIET, "name");
}

/** Shows badge and title. @param {State} state */
export async function showBadge(state) {
  const { text, color, key, args } = badgeOf(state);
  await Promise.all([
    api.action.setBadgeText({ text }),
    api.action.setBadgeBackgroundColor({ color }),
    api.action.setBadgeTextColor?.({ color: "#ffffff" }),
    api.action.setTitle({ title: api.i18n.getMessage(key, args) }),
  ]);
}
