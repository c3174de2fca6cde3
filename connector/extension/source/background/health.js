/**
 * Counts for each rule of a site how many seconds were watched since the rule
 * last found anything, to notice rules that no longer fit their site. The counts
 * are stored on disk, because the browser may end the background at any time.
 */
import { rules, ruleFor } from "../sites/index.js";

/** @typedef {{found: number, seconds: number}} Health found: when the rule last found something, in milliseconds since 1970 */

/** Watched seconds without any text found, after which a site counts as unreadable. */
const ENOUGH = 600;
/** Milliseconds for which a rule that has found something is trusted: with autoplay the titles are shown only once. */
const TRUSTED = 12 * 3_600_000;
/** The most sites that the daemon accepts in one message. */
const MAX_SITES = 20;

export class HealthBook {
  #database;
  #changed;
  #now;

  /**
   * @param {Pick<import("./database.js").Database, "read" | "update">} database
   * @param {() => unknown} changed called when a site becomes unreadable or readable again
   * @param {() => number} [now] milliseconds since 1970
   */
  constructor(database, changed, now = Date.now) {
    this.#database = database;
    this.#changed = changed;
    this.#now = now;
  }

  /** @returns {Promise<string[]>} the labels of the unreadable sites */
  async unread() {
    /** @type {Record<string, Health>} by the rule's name */
    const all = (await this.#database.read("health")) ?? {};
    return Object.keys(all).filter((name) => all[name].seconds >= ENOUGH && rules[name]).map((name) => rules[name].label).slice(0, MAX_SITES);
  }

  /**
   * Counts a session that counts as watched: whether the rule of its site has found anything.
   * @param {import("../messages.js").SessionReport} session
   * @param {boolean} certain whether it was identified without the rule
   */
  async count({ url, frameUrl, played, evidence: { site } }, certain) {
    const rule = frameUrl ? null : ruleFor(url); // a player in a frame of another site is not a page of this site
    if (!rule || site?.name !== rule.name) return;
    const found = Array.isArray(site.said) && site.said.length >= Math.min(1, rule.say.length);
    if (certain && !found) return;
    let turned = false;
    await this.#database.update("health", (all = {}) => {
      const before = all[rule.name] ?? { found: 0, seconds: 0 };
      const trusted = !found && this.#now() - before.found < TRUSTED;
      const after = found ? { found: this.#now(), seconds: 0 } : { ...before, seconds: before.seconds + (trusted ? 0 : Number(played) || 0) };
      turned = before.seconds >= ENOUGH !== after.seconds >= ENOUGH;
      return { ...all, [rule.name]: after };
    });
    if (turned) await this.#changed();
  }
}
