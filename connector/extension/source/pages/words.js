/**
 * Reads and formats the texts of _locales. Commands between backticks in a text
 * are shown as code.
 */
import { api } from "../api.js";

/** Returns the language of the texts, which may differ from that of the browser. */
const language = () => text("language");

/**
 * @param {string} key
 * @param {...(string | number)} values
 */
export function text(key, ...values) {
  return api.i18n.getMessage(key, values.map(String));
}

/**
 * Returns the text key_one or key_other for a number, which is its first value.
 * @param {string} key
 * @param {number} n
 * @param {...string} more
 */
export function counted(key, n, ...more) {
  const form = new Intl.PluralRules(language()).select(n) === "one" ? "one" : "other";
  return text(`${key}_${form}`, new Intl.NumberFormat(language()).format(n), ...more);
}

/** @param {number} seconds in whole minutes, at least one */
export const minutes = (seconds) => counted("minutes", Math.max(1, Math.ceil(seconds / 60)));

/** @param {string | number} when day and time of day */
export const moment = (when) =>
  new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(when));

/** @param {string} day such as 2026-11-22; its month and year are shown */
export const month = (day) => new Intl.DateTimeFormat(language(), { month: "short", year: "numeric", timeZone: "UTC" }).format(new Date(day));

/** @param {number} when time of day */
export const clock = (when) => new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(new Date(when));

/**
 * Shows a text in an element, with the parts between backticks as code.
 * @param {Element} element
 * @param {string} words
 */
export function put(element, words) {
  const parts = words.split("`").map((part, i) => {
    if (i % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
  element.replaceChildren(...parts);
}

/**
 * Fills in the elements with data-text, and the language and direction of the page.
 * @param {Document} page
 */
export function translate(page) {
  page.documentElement.lang = language();
  page.documentElement.dir = api.i18n.getMessage("@@bidi_dir") || "ltr";
  for (const element of page.querySelectorAll("[data-text]")) put(element, text(element.getAttribute("data-text") ?? ""));
}
