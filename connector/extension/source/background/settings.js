/** Loads, checks and saves the settings of the user. */
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
 * Reports whether an address is on this computer. The extension connects to no others.
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
 * Keeps only the known fields.
 * @param {Settings} settings
 * @returns {Settings}
 */
function tidy({ address, rule, pausedUntil, private: hidden }) {
  /** @param {Threshold} threshold */
  const of = ({ played, position, minimum }) => ({ played, position, minimum });
  return { address, rule: { movie: of(rule.movie), episode: of(rule.episode), last: rule.last }, pausedUntil, private: hidden };
}

/** @returns {Promise<Settings>} the saved ones, or the defaults when these are missing or invalid */
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

/** Closes storage.local to content scripts, in browsers that can. */
export async function closeStorage() {
  await api.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
}
