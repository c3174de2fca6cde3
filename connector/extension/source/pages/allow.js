/** Asking the browser for sites; the browser asks the user. */
import { api } from "./api.js";
import { request } from "./ask.js";
import { siteName } from "./coverage.js";
import { text } from "./words.js";

/**
 * Asks for sites. The question must come before anything is waited for, or it
 * no longer belongs to the user's click.
 * @param {string[]} origins
 * @returns {Promise<string>} what is in the way; empty when they are allowed
 */
export async function allow(origins) {
  try {
    if (!(await api.permissions.request({ origins }))) return text("siteRefused", names(origins));
  } catch {
    return text("faultSite");
  }
  const answer = await request({ kind: "grant", origins });
  return answer.ok ? "" : answer.why;
}

/**
 * The names of sites, each once.
 * @param {string[]} origins
 */
export const names = (origins) => [...new Set(origins.map(siteName))].join(", ");

/**
 * Whether the browser can ask over an open popup. Firefox closes the popup
 * together with the question.
 */
export const asksInPopup = () => !api.runtime.getURL("").startsWith("moz-");
