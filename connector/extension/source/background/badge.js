/**
 * The button's badge and title: what waits, and what needs the user. The
 * badge says it with a sign as well as with a colour, the title with words.
 */

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {{text: string, color: string, key: string, args: string[], fallback: string}} Look
 */

/** @type {typeof chrome} */
const api = globalThis.browser ?? globalThis.chrome;

const TROUBLE = "#a5271d";
const WAITING = "#1f4e9c";
const QUIET = "#4d4d4d";

/** @param {number} n */
const brief = (n) => (n > 999 ? "999+" : String(n));

/**
 * @param {string} text
 * @param {string} color
 * @param {string} key
 * @param {string} fallback
 * @param {...(string | number)} args
 * @returns {Look}
 */
const look = (text, color, key, fallback, ...args) => ({ text, color, key, fallback, args: args.map(String) });

/**
 * The most pressing first.
 * @param {State} state
 * @returns {Look}
 */
export function lookOf({ link, daemon, outbox, paused }) {
  const { waiting, full, rejected } = outbox;
  if (full) return look("!", TROUBLE, "badgeFull", "Filmspool: too much is waiting, nothing more is kept");
  if (link.state === "revoked") return look("!", TROUBLE, "badgeRevoked", "Filmspool: pair this browser again");
  if (link.state === "stranger") return look("!", TROUBLE, "badgeStranger", "Filmspool: another program answers in its place");
  if (link.state === "old") return look("!", TROUBLE, "badgeOld", "Filmspool: an update is needed");
  if (link.state === "unpaired") return unpaired(waiting + rejected.length);
  if (rejected.length > 0) return look("!", TROUBLE, "badgeRejected", `Filmspool: ${rejected.length} refused`, rejected.length);
  if (waiting > 0) return look(brief(waiting), WAITING, "badgeWaiting", `Filmspool: ${waiting} waiting to be sent`, waiting);
  const worst = daemon?.problems?.find(({ severity }) => severity === "needs you");
  if (worst) return look("!", TROUBLE, "badgeProblem", `Filmspool: ${worst.text}`, worst.text);
  if (daemon && daemon.attention > 0) return look("!", TROUBLE, "badgeAttention", `Filmspool: ${daemon.attention} need you in Filmspool`, daemon.attention);
  if (paused) return look("II", QUIET, "badgePaused", "Filmspool: paused, nothing is recorded");
  return look("", QUIET, "name", "Filmspool");
}

/**
 * A first step that is still to be taken is no trouble, until something waits for it.
 * @param {number} kept
 */
const unpaired = (kept) => look(kept > 0 ? "!" : "…", kept > 0 ? TROUBLE : QUIET, "badgeUnpaired", "Filmspool: not paired yet");

/** @param {State} state */
export async function showBadge(state) {
  const { text, color, key, args, fallback } = lookOf(state);
  await Promise.all([
    api.action.setBadgeText({ text }),
    api.action.setBadgeBackgroundColor({ color }),
    api.action.setBadgeTextColor?.({ color: "#ffffff" }),
    api.action.setTitle({ title: api.i18n.getMessage(key, args) || fallback }),
  ]);
}
