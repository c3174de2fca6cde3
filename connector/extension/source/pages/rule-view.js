/** Handles the form with the thresholds for films and episodes, in percents and minutes. */
import { defaults } from "../background/settings.js";
import { request } from "./ask.js";
import { fault, form, input, onSubmit, say } from "./elements.js";
import { text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Rule} Rule
 * @typedef {import("../messages.js").Settings} Settings
 */

const DEFAULTS = defaults().rule;

/** Fields: id, place of the value in a rule, unit, and range. */
const FIELDS = /** @type {const} */ ([
  ["movie-played", "movie", "played", 0.01, 1, 100],
  ["movie-position", "movie", "position", 0.01, 1, 100],
  ["movie-minimum", "movie", "minimum", 60, 0, 600],
  ["episode-played", "episode", "played", 0.01, 1, 100],
  ["episode-position", "episode", "position", 0.01, 1, 100],
  ["episode-minimum", "episode", "minimum", 60, 0, 600],
]);

const LAST = /** @type {const} */ ({ id: "rule-last", unit: 60, least: 0, most: 60 });

/** @param {Rule} rule */
function fill(rule) {
  for (const [id, kind, name, unit] of FIELDS) input(id).value = String(Math.round(rule[kind][name] / unit));
  input(LAST.id).value = String(Math.round(rule.last / LAST.unit));
}

/** @returns {Rule | null} null when a field is invalid; its error is shown */
function read() {
  const rule = structuredClone(DEFAULTS);
  for (const [id, kind, name, unit, least, most] of FIELDS) {
    const n = whole(id, least, most);
    if (n === null) return null;
    rule[kind][name] = unit < 1 ? n / 100 : n * unit;
  }
  const last = whole(LAST.id, LAST.least, LAST.most);
  return last === null ? null : { ...rule, last: last * LAST.unit };
}

/**
 * Reads a whole number from least to most in a field, or shows the error.
 * @param {string} id
 * @param {number} least
 * @param {number} most
 * @returns {number | null}
 */
function whole(id, least, most) {
  const typed = input(id).value.trim();
  if (/^\d{1,6}$/.test(typed) && Number(typed) >= least && Number(typed) <= most) return Number(typed);
  fault(input(id), text("faultWhole", least, most));
  return null;
}

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function ruleView(refresh) {
  /** @type {Settings | undefined} */
  let settings;
  let typing = false;
  form("rule-form").addEventListener("input", () => {
    typing = true;
  });
  onSubmit(form("rule-form"), async (act) => {
    if (!settings) return;
    const rule = act === "defaults" ? DEFAULTS : read();
    if (!rule) return;
    const trouble = await request({ kind: "settings", settings: { ...settings, rule } });
    if (!trouble) {
      typing = false;
      fill(rule);
    }
    await refresh();
    say(trouble || text("saved"));
  });
  return (state) => {
    settings = state.settings;
    if (!typing) fill(settings.rule);
  };
}
