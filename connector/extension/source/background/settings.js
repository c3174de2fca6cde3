/** The user's settings: defaults, what is allowed, where they are kept. */
import { api } from "../api.js";

/**
 * @typedef {import("../messages.js").Settings} Settings
 * @typedef {import("../messages.js").Threshold} Threshold
 */

/** @returns {Settings} */
export function defaults() {
  return {
    address: "127.0.0.1:43456",
    rule: {
      movie: { played: 0.5, position: 0.8, minimum: 300 },
      episode: { played: 0.5, position: 0.8, minimum: 300 },
      last: 0,
    },
    pausedUntil: 0,
    private: false,
  };
}

/**
 * An address on this computer; nothing else is ever connected to.
 * @param {unknown} address
 * @returns {address is string}
 */
export function isAddress(address) {
  const port = typeof address === "string" ? /^(?:127\.0\.0\.1|localhost):(\d{1,5})$/.exec(address)?.[1] : undefined;
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
}

/**
 * @param {unknown} n
 * @param {number} most
 */
const isWithin = (n, most) => typeof n === "number" && n >= 0 && n <= most;

/** @param {any} threshold */
const isThreshold = (threshold) =>
  isWithin(threshold?.played, 1) && isWithin(threshold?.position, 1) && isWithin(threshold?.minimum, 86_400);

/** @param {any} settings */
export const areValid = ({ address, rule, pausedUntil, private: hidden }) =>
  isAddress(address) && isThreshold(rule?.movie) && isThreshold(rule?.episode) && isWithin(rule.last, 86_400)
    && isWithin(pausedUntil, Number.MAX_SAFE_INTEGER) && typeof hidden === "boolean";

/**
 * Only what we know, so that nothing else gets kept.
 * @param {Settings} settings
 * @returns {Settings}
 */
function tidy({ address, rule, pausedUntil, private: hidden }) {
  /** @param {Threshold} threshold */
  const of = ({ played, position, minimum }) => ({ played, position, minimum });
  return { address, rule: { movie: of(rule.movie), episode: of(rule.episode), last: rule.last }, pausedUntil, private: hidden };
}

/** @returns {Promise<Settings>} the defaults where nothing good is kept */
export async function loadSettings() {
  const { settings } = await api.storage.local.get("settings");
  const merged = { ...defaults(), .../** @type {object} */ (settings) };
  return areValid(merged) ? tidy(merged) : defaults();
}

/** @param {Settings} settings valid ones */
export async function saveSettings(settings) {
  await api.storage.local.set({ settings: tidy(settings) });
}

/** @param {Settings} settings */
export const isPaused = ({ private: hidden, pausedUntil }) => hidden || pausedUntil > Date.now();

/** Content scripts have no business in our storage, where a browser lets us say so. */
export async function closeStorage() {
  await api.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
}
